"""Resolution of crawl options from four sources.

The sources are the call, the resumed crawl, corpus.toml and the defaults; the first that sets an option wins. The
catalog stores the options of each crawl and which of them were set explicitly, so that a change of corpus.toml applies
to the other options. Secrets are not stored, only the names of those that were used.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from corpuskit.crawl.model_ranking import ranking_of
from corpuskit.crawl.options import (
    OPTIONS,
    PRESETS,
    TYPES,
    CrawlOptions,
    both_spellings,
    flag_of,
    options_with_lifetime,
)
from corpuskit.errors import ConfigurationError
from corpuskit.relevance import CorpusModel
from corpuskit.sources.web.client import CREDENTIALS
from corpuskit.store import CorpusFolder
from corpuskit.store.catalog import Catalog
from corpuskit.store.formatting import pluralize

PER_CALL_OPTIONS: Final = frozenset(options_with_lifetime("call"))
"""Options of a single call, which a resumed crawl does not inherit: its budgets are used up, and failed URLs were
retried."""
ALLOW_PRIVATE: Final = "allow_private"
PERMISSION_OPTIONS: Final = options_with_lifetime("permission")
"""Options that extend the access of a crawl on this machine. Each call must name them, since the corpus may come from
an untrusted person."""
SECRET_OPTIONS: Final = options_with_lifetime("secret")
"""Options that are never stored."""
INHERITED_OPTIONS: Final = options_with_lifetime("crawl")
"""Options that a resumed crawl inherits."""
_NOT_RECORDED: Final = {"": "not recorded"}
_DEFAULT: Final = CrawlOptions()


@dataclass(frozen=True, slots=True)
class ResolvedOptions:
    """Options of a crawl after resolution.

    Attributes:
        options: All options.
        named: Names of the options set explicitly, in this call or in the resumed crawl.
        steer: A model, a function or None; see :func:`corpuskit.crawl.ranking_of`.
        requeues_fetched: Whether fetched URLs are queued again, because this call sets ``refresh``.
        resumed: Options inherited from the resumed crawl and differences to it, as text lines. It is empty for a new
            crawl.
    """

    options: CrawlOptions
    named: frozenset[str] = frozenset()
    steer: Any = None
    requeues_fetched: bool = False
    resumed: str = ""

    def record(self) -> str:
        """Return the JSON text that the catalog stores. Of secrets it contains only the names."""
        values = {name: getattr(self.options, name) for name in OPTIONS if name not in SECRET_OPTIONS}
        used = [name for name in SECRET_OPTIONS if getattr(self.options, name)]
        return json.dumps({**values, "named": sorted(self.named), "secrets": used, "steer": _description(self.steer)})


def _preset(name: str | None) -> Mapping[str, Any]:
    """Return the options of a preset. Explicit options override them.

    Raises:
        ConfigurationError: There is no such preset.
    """
    if name is None:
        return {}
    if name not in PRESETS:
        raise ConfigurationError(f"crawl: preset={name!r}: expected one of {', '.join(PRESETS)}")
    return PRESETS[name]


@dataclass(frozen=True, slots=True)
class _LastCrawl:
    """Options of the resumed crawl, read from the catalog."""

    day: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    named: frozenset[str] = frozenset()
    not_stored: tuple[str, ...] = ()  # secrets and permissions that were set
    steer: Mapping[str, str] = field(default_factory=dict)


def resolve_options(
    folder: CorpusFolder, named: Mapping[str, Any], *, resume: bool = False, has_seeds: bool = True
) -> ResolvedOptions:
    """Return the options for one call of ``Corpus.crawl``.

    Args:
        folder: The corpus folder.
        named: Arguments of the call: options and ``steer``. None selects the default, also if the last crawl had
            another value.
        resume: Inherit options of the last crawl that this call does not set.
        has_seeds: Whether the call has seeds. Secrets are sent to their hosts.

    Raises:
        ConfigurationError: An option does not exist or has an invalid value.
    """
    named = dict(named)
    preset = _preset(named.pop("preset", None))
    explicit = {name: _as_tuple(name, value) for name, value in {**preset, **named}.items() if name != "steer"}
    if unknown := sorted(explicit.keys() - OPTIONS.keys()):
        raise ConfigurationError(
            f"crawl: unknown option {unknown[0]!r}: expected one of {', '.join(sorted([*OPTIONS, 'steer']))}"
        )
    settings = folder.settings
    from_toml = {
        name: getattr(settings if name == "languages" else settings.crawl, name)
        for name, option in OPTIONS.items()
        if option.in_settings
    }
    earlier = _last_crawl(folder.catalog) if resume else None
    inherited = {name: earlier.values[name] for name in earlier.named - explicit.keys()} if earlier else {}
    changed = {name: value for name, value in explicit.items() if value is not None}
    steer = named["steer"] if "steer" in named else _last_steering_model(folder, earlier)
    scores_pages = getattr(ranking_of(steer), "scores_pages", False)
    if not scores_pages:
        inherited.pop("min_harvest", None)  # it needs a model
    _check_inherited(earlier, inherited)
    options = _create_options({**from_toml, **inherited, **changed})
    if options.min_harvest and not scores_pages:
        raise ConfigurationError("min_harvest: expected a model that scores pages; pass steer=model (--steer)")
    lines = []
    if earlier is not None:
        lines = [
            _describe_inherited(earlier, options, inherited, explicit),
            *_describe_steering(earlier, steer, was_named="steer" in named),
            *_describe_missing(earlier, explicit),
            *([] if has_seeds else _describe_unsent_secrets(changed)),
        ]
    elif waiting := folder.catalog.value("SELECT count(*) FROM frontier WHERE state = 'queued'"):
        lines = [_describe_queue(waiting)]
    return ResolvedOptions(
        options,
        frozenset({*inherited, *changed} & set(INHERITED_OPTIONS)),
        steer,
        requeues_fetched=options.refresh and "refresh" in changed,
        resumed="\n".join(lines),
    )


def _create_options(values: Mapping[str, Any]) -> CrawlOptions:
    try:
        return CrawlOptions(**{name: _as_tuple(name, value) for name, value in values.items()})
    except TypeError as error:
        if len(values) > 1:
            raise ConfigurationError(f"crawl: {error}") from None
        ((name, value),) = values.items()
        raise ConfigurationError(f"{name}={value!r} ({flag_of(name)}): the value has the wrong type") from None


def _check_inherited(earlier: _LastCrawl | None, inherited: Mapping[str, Any]) -> None:
    """Raise for an invalid inherited value, and explain how to reset it."""
    for name, value in inherited.items():
        try:
            _create_options({name: value})
        except ConfigurationError as error:
            message = str(error) if name in str(error) else f"{name} {value!r}: {error}"
            raise ConfigurationError(
                f"{message}; the value is from the crawl of {earlier.day if earlier else ''}; "
                f"{name}=None (--forget {flag_of(name).lstrip('-')}) resets it"
            ) from error


def _as_tuple(name: str, value: Any) -> Any:
    """Return list options as tuples; a single string becomes a tuple of one."""
    if tuple not in TYPES.get(name, ()) or value is None:
        return value
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, Iterable):
        raise ConfigurationError(f"crawl: {name}={value!r}: expected a list of strings")
    return tuple(value)


def _last_crawl(catalog: Catalog) -> _LastCrawl:
    rows = catalog.rows("SELECT started, options FROM jobs WHERE kind = 'crawl' ORDER BY id DESC LIMIT 1")
    if not rows:
        return _LastCrawl()
    try:
        stored = json.loads(rows[0]["options"])
    except ValueError:
        stored = {}
    stored = stored if isinstance(stored, dict) else {}
    values = {name: _as_tuple_if_valid(name, stored[name]) for name in INHERITED_OPTIONS if name in stored}
    secrets, steer = stored.get("secrets"), stored.get("steer", _NOT_RECORDED)
    permissions = [name for name in PERMISSION_OPTIONS if stored.get(name) is True]
    return _LastCrawl(
        rows[0]["started"][:10],
        values,
        # Earlier versions did not store explicit options. Values that differ from the default may have been explicit.
        frozenset(
            name
            for name, value in values.items()
            if (name in stored["named"] if isinstance(stored.get("named"), list) else value != getattr(_DEFAULT, name))
        ),
        (*permissions, *(name for name in SECRET_OPTIONS if isinstance(secrets, list) and name in secrets)),
        steer if isinstance(steer, dict) else {},
    )


def _as_tuple_if_valid(name: str, value: Any) -> Any:
    """Return a stored value in the type of the option. An invalid value is returned unchanged and reported when it is
    used.
    """
    try:
        return _as_tuple(name, value)
    except ConfigurationError:
        return value


# -- steering ----------------------------------------------------------------------------------------------------------


def _description(steer: Any) -> dict[str, str] | None:
    """Return the stored form of the argument ``steer``."""
    if steer is None:
        return None
    if isinstance(steer, CorpusModel):
        return {"model": steer.version}
    return {"function": str(getattr(steer, "__name__", type(steer).__name__))}


def _last_steering_model(folder: CorpusFolder, earlier: _LastCrawl | None) -> CorpusModel | None:
    """Return the newest model, if a model steered the last crawl. Functions cannot be stored."""
    if earlier is None or "model" not in earlier.steer:
        return None
    from corpuskit.relevance.corpus_training import last_model

    return last_model(folder)


# -- messages ----------------------------------------------------------------------------------------------------------


def _describe_queue(count: int) -> str:
    are = "is" if count == 1 else "are"
    return (
        f"{pluralize(count, 'URL')} left by earlier crawls {are} fetched too, with the options of this crawl; "
        f"{both_spellings('resume')} inherits theirs"
    )


def _describe_inherited(
    earlier: _LastCrawl, options: CrawlOptions, inherited: Mapping[str, Any], explicit: Mapping[str, Any]
) -> str:
    if not earlier.day:
        return "resumed; the options of earlier crawls are not stored"
    inherited_values = [
        f"{name}={inherited[name]!r}"
        for name in INHERITED_OPTIONS
        if name in inherited and inherited[name] != getattr(_DEFAULT, name)
    ]
    line = f"resumed with {', '.join(inherited_values)} of" if inherited_values else "resumed"
    line += f" the crawl of {earlier.day}"
    changes = []
    for name in INHERITED_OPTIONS:
        before, value = earlier.values.get(name, getattr(_DEFAULT, name)), getattr(options, name)
        if value != before:
            source = " from corpus.toml" if OPTIONS[name].in_settings and name not in explicit else ""
            changes.append(f"{name}={value!r}{source} instead of {before!r}")
    return f"{line}; {', '.join(changes)}" if changes else line


def _describe_steering(earlier: _LastCrawl, steer: Any, *, was_named: bool) -> list[str]:
    before, now = _steering_name(earlier.steer), _steering_name(_description(steer) or {})
    if now:
        return [f"steered by {now}" + (f" instead of {before}" if before and before != now else "")]
    if earlier.steer is _NOT_RECORDED:
        return (
            []
            if was_named
            else [
                f"not steered: the catalog does not record whether the last crawl was; pass {both_spellings('steer')} to steer"
            ]
        )
    if not before:
        return []
    line = f"no longer steered: the last crawl was steered by {before}"
    if was_named:
        return [line]
    missing = (
        "and the corpus does not have a model now"
        if "model" in earlier.steer
        else f"which cannot be stored: pass {both_spellings('steer')} again"
    )
    return [f"{line}, {missing}"]


def _steering_name(steer: Mapping[str, str]) -> str:
    return str(steer.get("model") or "") or (f"the function {steer['function']}" if "function" in steer else "")


def _describe_missing(earlier: _LastCrawl, explicit: Mapping[str, Any]) -> list[str]:
    # CrawlOutcome reports whether private addresses must be allowed, after the crawl has met them.
    missing = ", ".join(both_spellings(name) for name in earlier.not_stored if name not in {*explicit, ALLOW_PRIVATE})
    return [f"{missing}: set for the last crawl and never stored; pass again what is needed"] if missing else []


def _describe_unsent_secrets(explicit: Mapping[str, Any]) -> list[str]:
    secrets = {
        "headers": CREDENTIALS & {name.lower() for name in explicit.get("headers") or ()},
        "cookies": explicit.get("cookies"),
    }
    names = ", ".join(both_spellings(name) for name, values in secrets.items() if values)
    return [f"{names}: not sent, since they go to the hosts of seeds only, and this call has no seeds"] if names else []
