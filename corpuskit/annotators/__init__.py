"""Machine annotators: language models behind the chat protocol, and functions.

Their labels are stored under ``machine:NAME``, apart from labels by people. Agreement with people is measured by
:func:`corpuskit.labels.machine_agreements`.
"""

from __future__ import annotations

from corpuskit.annotators.budget import Budget, Price
from corpuskit.annotators.chat import ChatAnnotator, NoLabelError
from corpuskit.annotators.prelabel import Annotator, PrelabelReport, prelabel

__all__ = ["Annotator", "Budget", "ChatAnnotator", "NoLabelError", "PrelabelReport", "Price", "prelabel"]
