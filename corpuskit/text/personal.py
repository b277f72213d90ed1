"""Personal data in texts: e-mail addresses, telephone numbers, IP addresses, bank accounts (IBAN)."""

from __future__ import annotations

import ipaddress
import re
from bisect import bisect
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from corpuskit.errors import ConfigurationError, MissingExtraError

KINDS: Final = ("email", "phone", "ip", "iban")
_PIECE: Final = 100_000  # characters searched at a time for telephone numbers
# Lengths of RFC 5321: 64 octets before the @, 255 after it; a label has 63. The look-behind lets a run be tried once.
_EMAIL: Final = re.compile(
    r"(?<![A-Za-z0-9.!#$%&'*+/=?^_`{|}~-])[A-Za-z0-9_](?:[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{0,63})"
    r"@(?:[A-Za-z0-9-]{1,63}\.){1,8}[A-Za-z]{2,24}(?![A-Za-z0-9@-])"
)
_IPV4: Final = re.compile(r"(?<![\w.])(?:\d{1,3}\.){3}\d{1,3}(?![\w]|\.\d)")
_IPV6: Final = re.compile(r"(?<![\w:.])[0-9A-Fa-f:]{2,39}(?:(?<=:)(?:\d{1,3}\.){3}\d{1,3})?(?![\w:])")
_IBAN: Final = re.compile(r"(?<![A-Za-z0-9])[A-Z]{2}\d{2}(?:[ \u00a0]?[A-Z0-9]{1,4}){3,8}(?![A-Za-z0-9])")


@dataclass(frozen=True, slots=True)
class PersonalData:
    """Personal data found in a text.

    Attributes:
        kind: One of email, phone, ip, iban.
        start: 0-based position of its first character.
        end: End position, exclusive.
        text: The matched text.
    """

    kind: str
    start: int
    end: int
    text: str


def personal_data(text: str, kinds: Sequence[str] = KINDS, *, region: str | None = None) -> list[PersonalData]:
    """Return the personal data in a text, in order; of two overlapping ones the earlier in ``iban, email, ip, phone`` is returned.

    An IBAN must have valid check digits and a country's format (ISO 13616, python-stdnum), a telephone number must be in its
    country's numbering plan (Google's libphonenumber), an IPv4 or IPv6 address must be public: 127.0.0.1 and 10.0.0.1 are
    not.

    Args:
        text: The text.
        kinds: Kinds to find, of email, phone, ip, iban.
        region: ISO 3166 code of a country. Its numbers are also found without ``+`` and country code. None: only international numbers.

    Raises:
        ConfigurationError: An unknown kind.
        MissingExtraError: The extra for phone or iban is missing: ``text``.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise ConfigurationError(f"kind {kind!r} is unknown; there are: {', '.join(KINDS)}")
    matches: list[PersonalData] = []
    spans: list[tuple[int, int]] = []
    for kind, search in (("iban", _ibans), ("email", _emails), ("ip", _addresses), ("phone", _phones)):
        if kind not in kinds:
            continue
        for start, end in search(text, region):
            index = bisect(spans, (start, end))
            if (index == 0 or spans[index - 1][1] <= start) and (index == len(spans) or end <= spans[index][0]):
                spans.insert(index, (start, end))
                matches.append(PersonalData(kind, start, end, text[start:end]))
    return sorted(matches, key=lambda match: match.start)


def mask(
    text: str,
    kinds: Sequence[str] = KINDS,
    *,
    region: str | None = None,
    replacements: Mapping[str, str] | None = None,
) -> str:
    """Return the text with personal data replaced by their kind: ``<email>``, ``<phone>``, ``<ip>``, ``<iban>``.

    Args:
        text: The text.
        kinds: Kinds to replace, of email, phone, ip, iban.
        region: See :func:`personal_data`.
        replacements: Kind → replacement.

    Raises:
        ConfigurationError: An unknown kind.
        MissingExtraError: The extra for phone or iban is missing: ``text``.

    Example:
        >>> mask("Write to jane.doe@example.org.")
        'Write to <email>.'
    """
    parts: list[str] = []
    done = 0
    for match in personal_data(text, kinds, region=region):
        parts += (text[done : match.start], (replacements or {}).get(match.kind, f"<{match.kind}>"))
        done = match.end
    return "".join((*parts, text[done:]))


def _emails(text: str, region: str | None) -> Iterator[tuple[int, int]]:
    if "@" in text:
        for match in _EMAIL.finditer(text):
            before = match[0].partition("@")[0]
            if ".." not in before and not before.endswith("."):
                yield match.span()


def _addresses(text: str, region: str | None) -> Iterator[tuple[int, int]]:
    for pattern, sign in ((_IPV4, "."), (_IPV6, "::")):
        if sign not in text and not (pattern is _IPV6 and text.count(":") >= 7):
            continue
        for match in pattern.finditer(text):
            try:
                address = ipaddress.ip_address(match[0])
            except ValueError:
                continue
            if address.is_global:
                yield match.span()


def _ibans(text: str, region: str | None) -> Iterator[tuple[int, int]]:
    candidates = list(_IBAN.finditer(text))
    if not candidates:
        return
    try:
        from stdnum import iban
    except ImportError:
        raise MissingExtraError("python-stdnum", "text") from None
    for match in candidates:
        # A word in capitals may follow: the longest beginning that is valid.
        start, end = match.span()
        while end - start >= 15:
            if iban.is_valid(text[start:end].replace("\u00a0", " ")):
                yield start, end
                break
            cut = max(text.rfind(" ", start, end), text.rfind("\u00a0", start, end))
            if cut < 0:
                break
            end = cut


def _phones(text: str, region: str | None) -> Iterator[tuple[int, int]]:
    if sum(map(str.isdigit, text)) < 6 or (region is None and "+" not in text and "\uff0b" not in text):
        return
    try:
        from phonenumbers import PhoneNumberMatcher
    except ImportError:
        raise MissingExtraError("phonenumbers", "text") from None
    start = 0
    while start < len(text):
        # The library limits the number of candidates, so a long text is passed in pieces that end at a line or sentence.
        end = start + _PIECE
        if end < len(text):
            end = max(text.rfind("\n", start + 1, end), text.rfind(". ", start + 1, end)) + 1 or end
        for match in PhoneNumberMatcher(text[start:end], region):
            yield start + match.start, start + match.end
        start = end
