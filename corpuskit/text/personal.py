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
_PIECE: Final = 100_000  # characters looked at in one go for telephone numbers
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
    """One find.

    Attributes:
        kind: email, phone, ip or iban.
        start: 0-based position of its first character.
        end: exclusive.
        text: how it stands in the text.
    """

    kind: str
    start: int
    end: int
    text: str


def personal_data(text: str, kinds: Sequence[str] = KINDS, *, region: str | None = None) -> list[PersonalData]:
    """Return the personal data in a text, in order; where two overlap, the earlier of ``iban, email, ip, phone`` is kept.

    An IBAN is one if its check digits are right and its country has such numbers (ISO 13616, python-stdnum); a telephone number
    if its country's plan has it (Google's libphonenumber); an IPv4 or IPv6 address if it is a public one: 127.0.0.1 and 10.0.0.1
    are nobody's.

    Args:
        text: any text.
        kinds: which of email, phone, ip, iban.
        region: ISO 3166 code of the country whose numbers may stand without ``+`` and country code; None: only international ones.

    Raises:
        ConfigurationError: an unknown kind.
        MissingExtraError: phone or iban without the extra ``text``.
    """
    for kind in kinds:
        if kind not in KINDS:
            raise ConfigurationError(f"kind {kind!r} is unknown; there are: {', '.join(KINDS)}")
    found: list[PersonalData] = []
    taken: list[tuple[int, int]] = []
    for kind, search in (("iban", _ibans), ("email", _emails), ("ip", _addresses), ("phone", _phones)):
        if kind not in kinds:
            continue
        for start, end in search(text, region):
            place = bisect(taken, (start, end))
            if (place == 0 or taken[place - 1][1] <= start) and (place == len(taken) or end <= taken[place][0]):
                taken.insert(place, (start, end))
                found.append(PersonalData(kind, start, end, text[start:end]))
    return sorted(found, key=lambda one: one.start)


def mask(
    text: str,
    kinds: Sequence[str] = KINDS,
    *,
    region: str | None = None,
    replacements: Mapping[str, str] | None = None,
) -> str:
    """Return the text with personal data replaced by their kind: ``<email>``, ``<phone>``, ``<ip>``, ``<iban>``.

    Args:
        text: any text.
        kinds: which of email, phone, ip, iban.
        region: see :func:`personal_data`.
        replacements: kind → what takes its place.

    Raises:
        ConfigurationError: an unknown kind.
        MissingExtraError: phone or iban without the extra ``text``.

    Example:
        >>> mask("Write to jane.doe@example.org.")
        'Write to <email>.'
    """
    parts: list[str] = []
    done = 0
    for one in personal_data(text, kinds, region=region):
        parts += (text[done : one.start], (replacements or {}).get(one.kind, f"<{one.kind}>"))
        done = one.end
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
        # The library looks at so many candidates and no more: a long text is given to it in pieces, cut at a line or sentence end.
        end = start + _PIECE
        if end < len(text):
            end = max(text.rfind("\n", start + 1, end), text.rfind(". ", start + 1, end)) + 1 or end
        for match in PhoneNumberMatcher(text[start:end], region):
            yield start + match.start, start + match.end
        start = end
