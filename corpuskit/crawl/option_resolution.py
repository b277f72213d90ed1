"""What was chosen for a crawl: in this call, in the crawl that it resumes, in corpus.toml, or nowhere.

The first of these that says something decides. The catalogue keeps with each crawl what it went by and which of that
somebody had named, so that a change of corpus.toml counts for the rest. Secrets are not written down: only that there
were some.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from corpuskit.crawl.model_ranking import ranking_of
from corpuskit.crawl.options import OPTIONS, PRESETS, TYPES, CrawlOptions, flag_of, names_of, spelled
from corpuskit.errors import ConfigurationError
from corpuskit.relevance import CorpusModel
from corpuskit.sources.web.client import CREDENTIALS
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import Catalog
from corpuskit.store.telling import counted

ONE_CALL: Final = frozenset(names_of("call"))
"""Options of one call: the budgets of the crawl that is resumed are used up, and what had failed was asked for."""
ALLOW_PRIVATE: Final = "allow_private"
DOORS: Final = names_of("permission")
"""Options that let a crawl reach further on this machine: each call names them. The corpus may be a stranger's."""
SECRET: Final = names_of("secret")
"""Options that are written down nowhere."""
KEPT: Final = names_of("crawl")
"""Options that a resumed crawl keeps."""
_NOT_RECORDED: Final = {"": "not recorded"}
_DEFAULT: Final = CrawlOptions()


@dataclass(frozen=True, slots=True)
class Choices:
    """What a crawl goes by.

    Attributes:
        options: all options.
        named: names of those that somebody chose, in this call or in the crawl that it resumes.
        steer: a model, a function or None; see :func:`corpuskit.crawl.ranking_of`.
        looks_again: what was fetched is queued again: ``refresh`` was named in this call.
        resumed: what is kept of the crawl that is resumed and what differs, in lines; empty for a new one.
    """

    options: CrawlOptions
    named: frozenset[str] = frozenset()
    steer: Any = None
    looks_again: bool = False
    resumed: str = ""

    def record(self) -> str:
        """Return what the catalogue keeps, as JSON; of secrets only the names."""
        values = {name: getattr(self.options, name) for name in OPTIONS if name not in SECRET}
        used = [name for name in SECRET if getattr(self.options, name)]
        return json.dumps({**values, "named": sorted(self.named), "secrets": used, "steer": _description(self.steer)})


def _preset(name: str | None) -> Mapping[str, Any]:
    """The options of a preset, which those that are named come before.

    Raises:
        ConfigurationError: there is no such preset.
    """
    if name is None:
        return {}
    if name not in PRESETS:
        raise ConfigurationError(f"crawl: no preset {name!r}; there are: {', '.join(PRESETS)}")
    return PRESETS[name]


@dataclass(frozen=True, slots=True)
class _Earlier:
    """What the catalogue has of the crawl that is resumed."""

    day: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    again: tuple[str, ...] = ()  # secrets and doors that were named then
    steer: Mapping[str, str] = field(default_factory=dict)


def choose(folder: CorpusFolder, named: Mapping[str, Any], *, resume: bool = False, has_seeds: bool = True) -> Choices:
    """Return the choices for one call of ``Corpus.crawl``.

    Args:
        folder: of the corpus.
        named: what the call names: options, and ``steer``. None is the default, also where the last crawl had another.
        resume: what was named for the last crawl holds where this call names nothing.
        has_seeds: the call names seeds, whose hosts get its secrets.

    Raises:
        ConfigurationError: there is no such option, or not with such a value.
    """
    named = dict(named)
    preset = _preset(named.pop("preset", None))
    given = {name: _plain(name, value) for name, value in {**preset, **named}.items() if name != "steer"}
    if unknown := sorted(given.keys() - OPTIONS.keys()):
        raise ConfigurationError(
            f"crawl: no option {unknown[0]!r}; there are: {', '.join(sorted([*OPTIONS, 'steer']))}"
        )
    settings = folder.settings
    by_toml = {
        name: getattr(settings if name == "languages" else settings.crawl, name)
        for name, option in OPTIONS.items()
        if option.in_settings
    }
    earlier = _last_crawl(folder.catalog) if resume else None
    kept = {name: earlier.values[name] for name in earlier.named - given.keys()} if earlier else {}
    chosen = {name: value for name, value in given.items() if value is not None}
    steer = named["steer"] if "steer" in named else _steer_as_before(folder, earlier)
    scores_pages = getattr(ranking_of(steer), "scores_pages", False)
    if not scores_pages:
        kept.pop("min_harvest", None)  # it is a choice about a model
    _refuse_kept(earlier, kept)
    options = _made({**by_toml, **kept, **chosen})
    if options.min_harvest and not scores_pages:
        raise ConfigurationError("min_harvest: only a model tells which pages are relevant: steer=model (--steer)")
    lines = []
    if earlier is not None:
        lines = [
            _what_holds(earlier, options, kept, given),
            *_what_steers(earlier, steer, was_named="steer" in named),
            *_what_is_missing(earlier, given),
            *([] if has_seeds else _what_goes_nowhere(chosen)),
        ]
    elif waiting := folder.catalog.value("SELECT count(*) FROM frontier WHERE state = 'queued'"):
        lines = [_what_waits(waiting)]
    return Choices(
        options,
        frozenset({*kept, *chosen} & set(KEPT)),
        steer,
        looks_again=options.refresh and "refresh" in chosen,
        resumed="\n".join(lines),
    )


def _made(values: Mapping[str, Any]) -> CrawlOptions:
    try:
        return CrawlOptions(**{name: _plain(name, value) for name, value in values.items()})
    except TypeError as error:
        raise ConfigurationError(f"crawl: {error}") from None


def _refuse_kept(earlier: _Earlier | None, kept: Mapping[str, Any]) -> None:
    """Tell of a value that cannot be that nobody has named now, and what takes it back."""
    for name, value in kept.items():
        try:
            _made({name: value})
        except ConfigurationError as error:
            told = str(error) if name in str(error) else f"{name} {value!r}: {error}"
            raise ConfigurationError(
                f"{told}; this is of the corpus' last crawl, {earlier.day if earlier else ''}: "
                f"{name}=None (--forget {flag_of(name).lstrip('-')}) takes it back"
            ) from error


def _plain(name: str, value: Any) -> Any:
    """Lists as the options have them; one word is a list of one."""
    if tuple not in TYPES.get(name, ()) or value is None:
        return value
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise ConfigurationError(f"crawl: {name} {value!r}: expected a list of strings")
    return tuple(value)


def _last_crawl(catalog: Catalog) -> _Earlier:
    rows = catalog.rows("SELECT started, options FROM jobs WHERE kind = 'crawl' ORDER BY id DESC LIMIT 1")
    if not rows:
        return _Earlier()
    try:
        found = json.loads(rows[0]["options"])
    except ValueError:
        found = {}
    found = found if isinstance(found, dict) else {}
    values = {name: _as_far_as_it_can_be(name, found[name]) for name in KEPT if name in found}
    secrets, steer = found.get("secrets"), found.get("steer", _NOT_RECORDED)
    doors = [name for name in DOORS if found.get(name) is True]
    return _Earlier(
        rows[0]["started"][:10],
        values,
        # Earlier versions did not say what was named: what differs from the default may have been.
        frozenset(
            name
            for name, value in values.items()
            if (name in found["named"] if isinstance(found.get("named"), list) else value != getattr(_DEFAULT, name))
        ),
        (*doors, *(name for name in SECRET if isinstance(secrets, list) and name in secrets)),
        steer if isinstance(steer, dict) else {},
    )


def _as_far_as_it_can_be(name: str, value: Any) -> Any:
    """A value as the options have it; one that cannot be stays, to be told where it counts."""
    try:
        return _plain(name, value)
    except ConfigurationError:
        return value


# -- steering ----------------------------------------------------------------------------------------------------------


def _description(steer: Any) -> dict[str, str] | None:
    """What steers, as it is written down."""
    if steer is None:
        return None
    if isinstance(steer, CorpusModel):
        return {"model": steer.version}
    return {"function": str(getattr(steer, "__name__", type(steer).__name__))}


def _steer_as_before(folder: CorpusFolder, earlier: _Earlier | None) -> CorpusModel | None:
    """The newest model where a model steered; a function is not written down."""
    if earlier is None or "model" not in earlier.steer:
        return None
    from corpuskit.relevance.learning import last_model

    return last_model(folder)


# -- telling -----------------------------------------------------------------------------------------------------------


def _what_waits(count: int) -> str:
    are = "is" if count == 1 else "are"
    return (
        f"{counted(count, 'URL')} that earlier crawls left {are} fetched too, by the options of this one; "
        f"{spelled('resume')} keeps theirs"
    )


def _what_holds(earlier: _Earlier, options: CrawlOptions, kept: Mapping[str, Any], given: Mapping[str, Any]) -> str:
    if not earlier.day:
        return "resumed; the options of earlier crawls are not on record"
    shown = [f"{name}={kept[name]!r}" for name in KEPT if name in kept and kept[name] != getattr(_DEFAULT, name)]
    line = f"resumed with {', '.join(shown)} of" if shown else "resumed"
    line += f" the crawl of {earlier.day}"
    changes = []
    for name in KEPT:
        before, value = earlier.values.get(name, getattr(_DEFAULT, name)), getattr(options, name)
        if value != before:
            source = " by corpus.toml" if OPTIONS[name].in_settings and name not in given else ""
            changes.append(f"{name}={value!r}{source} instead of {before!r}")
    return f"{line}; {', '.join(changes)}" if changes else line


def _what_steers(earlier: _Earlier, steer: Any, *, was_named: bool) -> list[str]:
    before, now = _named_by(earlier.steer), _named_by(_description(steer) or {})
    if now:
        return [f"steered by {now}" + (f" instead of {before}" if before and before != now else "")]
    if earlier.steer is _NOT_RECORDED:
        return (
            []
            if was_named
            else [f"not steered: whether something steered then is not on record; name {spelled('steer')} if it is to"]
        )
    if not before:
        return []
    line = f"not steered any more: {before} steered then"
    if was_named:
        return [line]
    missing = (
        "and there is no model now"
        if "model" in earlier.steer
        else f"which cannot be kept: name {spelled('steer')} again"
    )
    return [f"{line}, {missing}"]


def _named_by(steer: Mapping[str, str]) -> str:
    return str(steer.get("model") or "") or (f"the function {steer['function']}" if "function" in steer else "")


def _what_is_missing(earlier: _Earlier, given: Mapping[str, Any]) -> list[str]:
    # Whether private addresses need to be allowed is known when they are met: Closing tells it.
    missing = ", ".join(spelled(name) for name in earlier.again if name not in {*given, ALLOW_PRIVATE})
    return [f"{missing}: given then and never kept; name again what is needed"] if missing else []


def _what_goes_nowhere(chosen: Mapping[str, Any]) -> list[str]:
    secrets = {
        "headers": CREDENTIALS & {name.lower() for name in chosen.get("headers") or ()},
        "cookies": chosen.get("cookies"),
    }
    names = ", ".join(spelled(name) for name, values in secrets.items() if values)
    return [f"{names}: sent to the hosts of seeds that this call names, and it names none"] if names else []
