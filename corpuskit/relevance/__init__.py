"""Labels, tokens, models, sampling, audit, explanation: telling relevant documents and URLs from others.

A model is trained from a few labels and the unlabelled corpus around them (`train`), asks for the labels that help it
most (`select`), and claims a threshold only after an audit of its own (`Audit`).
"""

from __future__ import annotations

from corpuskit.plugins import moved_names
from corpuskit.relevance.audit import Audit
from corpuskit.relevance.corpus_model import CorpusModel, check_models
from corpuskit.relevance.machines import MachineWeight, train_with_machines
from corpuskit.relevance.model import AuditRecord, Explanation, ModelCard, RelevanceModel
from corpuskit.relevance.report import (
    confusion,
    curve,
    drift,
    learning_curve,
    mistakes,
)
from corpuskit.relevance.sampling import Suggestion, first_questions, rank_by_seeds, select, suggest
from corpuskit.relevance.space import Space
from corpuskit.relevance.student import Student, fasttext_line, to_fasttext
from corpuskit.relevance.tokens import ascii_tokens, document_tokens, tokenizer
from corpuskit.relevance.training import train
from corpuskit.relevance.urls import pdf_trio_url_tokens, url_tokens, without_wayback

__all__ = [
    "Audit",
    "AuditRecord",
    "CorpusModel",
    "Explanation",
    "MachineWeight",
    "ModelCard",
    "RelevanceModel",
    "Space",
    "Student",
    "Suggestion",
    "ascii_tokens",
    "check_models",
    "confusion",
    "curve",
    "document_tokens",
    "drift",
    "fasttext_line",
    "first_questions",
    "learning_curve",
    "mistakes",
    "pdf_trio_url_tokens",
    "rank_by_seeds",
    "select",
    "suggest",
    "to_fasttext",
    "tokenizer",
    "train",
    "train_with_machines",
    "url_tokens",
    "without_wayback",
]

__getattr__ = moved_names(__name__)
