"""Relevance: models, active learning, audits and explanations for documents and URLs.

`train` fits a model on a few labels and the unlabelled corpus. `select` returns the texts to label next. `Audit` certifies a
threshold by separate labels.
"""

from __future__ import annotations

from corpuskit.plugins import moved_names
from corpuskit.relevance.audit import Audit
from corpuskit.relevance.corpus_model import CorpusModel, check_models
from corpuskit.relevance.distillation import DistilledModel, fasttext_line, to_fasttext
from corpuskit.relevance.metrics import (
    confusion,
    curve,
    drift,
    learning_curve,
    mistakes,
)
from corpuskit.relevance.model import AuditRecord, Explanation, ModelCard, RelevanceModel
from corpuskit.relevance.sampling import Suggestion, cold_start_queries, rank_by_seeds, select, suggest
from corpuskit.relevance.tokenizers import ascii_tokens, document_tokens, tokenizer
from corpuskit.relevance.training import train
from corpuskit.relevance.url_tokenizers import pdf_trio_url_tokens, url_tokens, without_wayback
from corpuskit.relevance.vector_space import VectorSpace
from corpuskit.relevance.weak_labels import MachineWeight, train_with_machines

__all__ = [
    "Audit",
    "AuditRecord",
    "CorpusModel",
    "DistilledModel",
    "Explanation",
    "MachineWeight",
    "ModelCard",
    "RelevanceModel",
    "Suggestion",
    "VectorSpace",
    "ascii_tokens",
    "check_models",
    "cold_start_queries",
    "confusion",
    "curve",
    "document_tokens",
    "drift",
    "fasttext_line",
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

# Earlier names.
Space = VectorSpace
Student = DistilledModel
first_questions = cold_start_queries

__getattr__ = moved_names(__name__)
