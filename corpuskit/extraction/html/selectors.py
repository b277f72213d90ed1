"""Parts of a page that are not wanted, by XPath or CSS."""

from __future__ import annotations

from typing import Final

from lxml import etree

from corpuskit.errors import ConfigurationError

_XPATH: Final = ("/", "./", "../", "(/", "(./")


def is_xpath(selector: str) -> bool:
    """Whether a selector is an XPath; else it is one of CSS."""
    return selector.strip().startswith(_XPATH)


def drop(root: etree._Element, selectors: tuple[str, ...]) -> None:
    """Take elements out of our tree, with what is in them; the text behind them stays.

    Args:
        root: of the page.
        selectors: XPaths, which begin with ``/`` or ``./``, or CSS selectors.

    Raises:
        ConfigurationError: One is neither.
    """
    for selector in selectors:
        for element in _found(root, selector):
            remove(element)


def remove(element: etree._Element) -> None:
    """Remove an element from its tree, but not the text that follows it; the root stays."""
    parent = element.getparent()
    if parent is None:
        return
    before = element.getprevious()
    if element.tail and before is not None:
        before.tail = (before.tail or "") + element.tail
    elif element.tail:
        parent.text = (parent.text or "") + element.tail
    parent.remove(element)


def _found(root: etree._Element, selector: str) -> list[etree._Element]:
    # Only here: no other extraction needs it.
    from cssselect import HTMLTranslator, SelectorError

    try:
        path = selector.strip() if is_xpath(selector) else HTMLTranslator().css_to_xpath(selector)
        found = root.xpath(path)
    except (etree.XPathError, SelectorError) as error:
        raise ConfigurationError(f"drop {selector!r}: no XPath and no CSS selector: {error}") from error
    elements = found if isinstance(found, list) else []
    return [element for element in elements if isinstance(element, etree._Element)]
