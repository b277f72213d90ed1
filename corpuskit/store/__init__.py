"""The corpus folder on disk: catalogue, originals, documents, element cache, labels."""

from corpuskit.store.folder import CorpusFolder
from corpuskit.store.labels import Label, LabelLog
from corpuskit.store.originals import Place
from corpuskit.store.settings import LabelSettings, Settings

__all__ = ["CorpusFolder", "Label", "LabelLog", "LabelSettings", "Place", "Settings"]
