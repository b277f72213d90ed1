"""The corpus folder on disk: catalog, originals, documents, element cache and labels."""

from corpuskit.store.folder import CorpusFolder
from corpuskit.store.labels import Label, LabelLog
from corpuskit.store.originals import OriginalLocation
from corpuskit.store.originals import OriginalLocation as Place  # noqa: F401 - earlier name
from corpuskit.store.settings import LabelSettings, Settings

__all__ = ["CorpusFolder", "Label", "LabelLog", "LabelSettings", "OriginalLocation", "Settings"]
