"""Machines that label: language models behind the chat protocol, and functions.

What they say is signed ``machine:NAME`` and kept apart from what people say; how far it is trusted is measured
(:func:`corpuskit.labels.trust`).
"""

from __future__ import annotations

from corpuskit.annotators.budget import Budget, Price
from corpuskit.annotators.chat import ChatAnnotator, NoLabelError
from corpuskit.annotators.prelabel import Annotator, PrelabelReport, prelabel

__all__ = ["Annotator", "Budget", "ChatAnnotator", "NoLabelError", "PrelabelReport", "Price", "prelabel"]
