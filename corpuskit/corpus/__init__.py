"""class Corpus: the facade of the library. Its methods delegate to one package each; accessors hold the rest."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any

from corpuskit.corpus.collect import CorpusCollect
from corpuskit.corpus.export import CorpusExport
from corpuskit.corpus.label import CorpusLabel
from corpuskit.corpus.look import CorpusLook
from corpuskit.plugins import feature_groups, load

if TYPE_CHECKING:
    from corpuskit.corpus.labelling import LabellingAccessor
    from corpuskit.corpus.maintenance import MaintenanceAccessor
    from corpuskit.corpus.subcorpora import SubcorporaAccessor
    from corpuskit.corpus.web import WebAccessor
    from corpuskit.features.archives.accessor import ArchivesAccessor
    from corpuskit.features.compat.accessor import CompatAccessor
    from corpuskit.features.linguistics.queries import QueriesAccessor
    from corpuskit.features.linguistics.text import TextAccessor
    from corpuskit.features.vectors.accessor import VectorsAccessor

__all__ = ["Corpus"]


class Corpus(CorpusCollect, CorpusLook, CorpusLabel, CorpusExport):
    """A corpus: a directory of documents with their originals, labels and models.

    Further methods are grouped in attributes: ``text`` (concordance and statistics of words), ``queries`` and ``subcorpora``
    (mappings), ``web`` (hosts, requests, queue), ``archives`` (web archives), ``vectors`` (similarity, topics, map), ``labelling``
    and ``maintenance``. ``print(corpus.text)`` lists its methods.

    Args:
        path: the folder; made if absent.
        trust: see :func:`corpuskit.open`.

    Example:
        >>> import corpuskit as ck
        >>> corpus = ck.open("insurance")            # doctest: +SKIP
        >>> corpus.add("reports/*.pdf")              # doctest: +SKIP
        12 new
        >>> corpus.text.collocates("premium")        # doctest: +SKIP
    """

    if TYPE_CHECKING:
        archives: ArchivesAccessor
        compat: CompatAccessor
        labelling: LabellingAccessor
        maintenance: MaintenanceAccessor
        queries: QueriesAccessor
        subcorpora: SubcorporaAccessor
        text: TextAccessor
        vectors: VectorsAccessor
        web: WebAccessor

    def __getattr__(self, name: str) -> Any:
        """Return an accessor, or a method of one by the name it has or had here."""
        if not name.startswith("_"):
            for group in feature_groups():
                if name in group.accessors:
                    accessor = self.__dict__[name] = load(group.accessors[name])(self._folder)
                    return accessor
                if reference := group.methods.get(name) or group.old_names.get(name):
                    attribute, _, method = reference.partition(".")
                    return getattr(self, attribute).earlier(method)
        matches = difflib.get_close_matches(name, dir(self), n=1)
        hint = f"; did you mean {matches[0]!r}?" if matches else ""
        raise AttributeError(f"a Corpus has no attribute {name!r}{hint}")

    def __dir__(self) -> list[str]:
        added = (name for group in feature_groups() for name in (*group.accessors, *group.methods))
        return sorted({*super().__dir__(), *added})
