"""Filters on index rows, and pruning of row groups by their statistics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import TYPE_CHECKING, Any, Final

from corpuskit.dates import as_utc
from corpuskit.errors import ConfigurationError

if TYPE_CHECKING:
    import pyarrow as pa

# ISO 639-1 → ISO 639-3 code, for the languages of the detector used by the index (CLD2).
_CODES: Final = """
aa=aar ab=abk af=afr ak=aka am=amh ar=ara as=asm ay=aym az=aze ba=bak be=bel bg=bul bh=bih bi=bis bn=ben bo=bod
br=bre bs=bos ca=cat co=cos cs=ces cy=cym da=dan de=deu dv=div dz=dzo ee=ewe el=ell en=eng eo=epo es=spa et=est
eu=eus fa=fas fi=fin fj=fij fo=fao fr=fra fy=fry ga=gle gd=gla gl=glg gn=grn gu=guj gv=glv ha=hau he=heb hi=hin
hr=hrv ht=hat hu=hun hy=hye ia=ina id=ind ie=ile ig=ibo ik=ipk is=isl it=ita iu=iku ja=jpn jv=jav ka=kat kk=kaz
kl=kal km=khm kn=kan ko=kor ks=kas ku=kur ky=kir la=lat lb=ltz lg=lug ln=lin lo=lao lt=lit lv=lav mg=mlg mi=mri
mk=mkd ml=mal mn=mon mr=mar ms=msa mt=mlt my=mya na=nau ne=nep nl=nld nn=nno no=nor nr=nbl ny=nya oc=oci om=orm
or=ori pa=pan pl=pol ps=pus pt=por qu=que rm=roh rn=run ro=ron ru=rus rw=kin sa=san sd=snd sg=sag si=sin sk=slk
sl=slv sm=smo sn=sna so=som sq=sqi sr=srp ss=ssw st=sot su=sun sv=swe sw=swa ta=tam te=tel tg=tgk th=tha ti=tir
tk=tuk tl=tgl tn=tsn to=ton tr=tur ts=tso tt=tat ug=uig uk=ukr ur=urd uz=uzb ve=ven vi=vie vo=vol wo=wol xh=xho
yi=yid yo=yor za=zha zh=zho zu=zul
"""
_LANGUAGES: Final = {pair[:2]: pair[3:] for pair in _CODES.split()}


@dataclass(frozen=True, slots=True)
class Filters:
    """Conditions on index rows; a row must satisfy all of them. An empty condition matches every row.

    Attributes:
        domains: Domains including their subdomains, such as ``example.org``.
        tld: Top-level domains, such as ``fr``.
        languages: ISO 639-1 or 639-3 codes; the first language of the page must be one of them.
        mime: Detected media types; a type that ends in ``/`` or ``*`` is a prefix.
        status: HTTP status; None matches any status.
        since: Earliest fetch time.
    """

    domains: tuple[str, ...] = ()
    tld: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    mime: tuple[str, ...] = ()
    status: int | None = 200
    since: datetime | None = None

    @classmethod
    def of(
        cls,
        *,
        domains: Iterable[str] | str = (),
        tld: Iterable[str] | str = (),
        languages: Iterable[str] | str = (),
        mime: Iterable[str] | str = (),
        status: int | None = 200,
        since: date | str | None = None,
    ) -> Filters:
        """Return filters after validation and normalization of the arguments.

        Args:
            domains: Domains including their subdomains.
            tld: Top-level domains.
            languages: ISO 639 codes.
            mime: Media types.
            status: HTTP status; None matches any status.
            since: Earliest fetch date.

        Raises:
            ConfigurationError: An unknown language code, a media type without a slash, or an invalid status or date.
        """
        if status is not None and not isinstance(status, int):
            raise ConfigurationError(f"found status={status!r}, expected a number such as 200, or None for any status")
        return cls(
            tuple(sorted({_host(name) for name in _as_list(domains)})),
            tuple(sorted({_host(name).rpartition(".")[2] for name in _as_list(tld)})),
            tuple(sorted({_language(code) for code in _as_list(languages)})),
            tuple(sorted({_media_type(kind) for kind in _as_list(mime)})),
            status,
            _date(since),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that the filters use."""
        named = {
            "url_host_name": self.domains or self.tld,
            "content_languages": self.languages,
            "content_mime_detected": self.mime,
            "fetch_status": self.status is not None,
            "fetch_time": self.since,
        }
        return tuple(name for name, condition in named.items() if condition)

    def keep(self, batch: pa.RecordBatch, left_out: Counter[str] | None = None) -> Any:
        """Return a boolean mask of the rows that match all filters; a row with a missing value does not match.

        Args:
            batch: Rows of the index.
            left_out: Counter that receives the number of rejected rows by the first filter that rejects them.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        mask = pa.array([True]).take(pa.array([0] * len(batch), pa.int32()))
        number = len(batch)
        for name, fits in self._filter_masks(batch):
            mask = pc.and_(mask, pc.fill_null(fits, False))
            if left_out is not None:
                rest = pc.sum(mask).as_py() or 0
                left_out[name] += number - rest
                number = rest
        return mask

    def _filter_masks(self, batch: pa.RecordBatch) -> Iterator[tuple[str, Any]]:
        """Yield the name of each filter and a mask of the matching rows; null if the index has no value."""
        import pyarrow as pa
        import pyarrow.compute as pc

        if self.domains or self.tld:
            hosts = batch.column("url_host_name").dictionary_encode()  # much fewer distinct hosts than rows
            named = hosts.dictionary.to_pylist()
            for name, test in (("domains", self._is_in_domains), ("tld", self._is_in_tld)):
                if getattr(self, name):
                    yield name, pa.array([test(host) for host in named], pa.bool_()).take(hosts.indices)
        if self.languages:
            first = pc.utf8_slice_codeunits(batch.column("content_languages"), 0, 3)
            yield "languages", pc.is_in(first, pa.array(self.languages))
        if self.mime:
            kind, fits = pc.utf8_lower(batch.column("content_mime_detected")), pa.scalar(False)
            for name in self.mime:
                fits = pc.or_(fits, pc.starts_with(kind, name) if name.endswith("/") else pc.equal(kind, name))
            yield "mime", fits
        if self.status is not None:
            yield "status", pc.equal(batch.column("fetch_status"), self.status)
        if self.since is not None:
            since = pa.scalar(self.since, pa.timestamp("s", "UTC"))
            yield "since", pc.greater_equal(batch.column("fetch_time"), since)

    def _is_in_tld(self, host: str) -> bool:
        return host.lower().rpartition(".")[2] in self.tld

    def _is_in_domains(self, host: str) -> bool:
        """Return whether a host is one of the domains or a subdomain of one."""
        name = host.lower()
        while name and name not in self.domains:
            name = name.partition(".")[2]
        return bool(name)

    def ruled_out_by(self, minimums: dict[str, Any], maximums: dict[str, Any]) -> str | None:
        """Return the name of a filter that no row of a row group can match, or None if rows may match all filters.

        Columns without statistics are ignored. Domains are compared with ``url_host_name_reversed`` (``org.example.www``) if
        the index has this column, top-level domains with ``url_host_tld``.

        Args:
            minimums: Minimum of each column in the row group.
            maximums: Maximum of each column in the row group.
        """
        if self.status is not None and not _between(minimums, maximums, "fetch_status", self.status, self.status):
            return "status"
        if self.tld and not any(_between(minimums, maximums, "url_host_tld", name, name) for name in self.tld):
            return "tld"
        reversed_names = [".".join(reversed(name.split("."))) for name in self.domains]
        # "/" follows "." in ASCII, so all subdomains sort between name and name + "/".
        if reversed_names and not any(
            _between(minimums, maximums, "url_host_name_reversed", name, name + "/") for name in reversed_names
        ):
            return "domains"
        tops = {name.rpartition(".")[2] for name in self.domains}
        if tops and not any(_between(minimums, maximums, "url_host_tld", name, name) for name in tops):
            return "domains"
        newest = maximums.get("fetch_time")
        if self.since is not None and isinstance(newest, datetime):
            newest = newest.replace(tzinfo=UTC) if newest.tzinfo is None else newest
            return None if newest >= self.since else "since"
        return None


PRUNED_BY: Final = ("fetch_status", "url_host_tld", "url_host_name_reversed", "fetch_time")
"""Columns with statistics that can exclude row groups."""


def _between(minimums: dict[str, Any], maximums: dict[str, Any], name: str, first: Any, last: Any) -> bool:
    low, high = minimums.get(name), maximums.get(name)
    if low is None or high is None or type(low) is not type(first):
        return True
    return bool(low <= last and first <= high)


def _as_list(value: Iterable[str] | str) -> list[str]:
    return [value] if isinstance(value, str) else list(value)


def _host(name: str) -> str:
    host = name.strip().lower().rpartition("://")[2].partition("/")[0].strip(".")
    if not host:
        raise ConfigurationError(f"found {name!r}, expected a domain such as example.org")
    try:
        return host if host.isascii() else host.encode("idna").decode("ascii")
    except UnicodeError as error:
        raise ConfigurationError(f"found {name!r}, expected a domain: {error}") from error


def _language(code: str) -> str:
    code = code.strip().lower()
    if len(code) == 3 and code.isascii() and code.isalpha():
        return code
    if code not in _LANGUAGES:
        raise ConfigurationError(f"found the language {code!r}, expected an ISO 639 code such as en or eng")
    return _LANGUAGES[code]


def _media_type(kind: str) -> str:
    # A type without a slash would match no row, silently.
    if "/" not in kind:
        raise ConfigurationError(
            f"found mime={kind!r}, expected a media type such as text/html, or text/* for all text types"
        )
    return kind.strip().lower().removesuffix("*")


def _date(value: date | str | None) -> datetime | None:
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise ConfigurationError(f"since={value!r}: expected a date such as 2024-05-18") from error
    if value is None:
        return None
    time = value if isinstance(value, datetime) else datetime(value.year, value.month, value.day)
    return as_utc(time)
