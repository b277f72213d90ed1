"""A system for a score program: each page's main text by the fold model that has not seen the page's domain.

``CORPUSKIT_FOLDS`` names the folder that ``html_train.py --folds`` wrote.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from corpuskit.extraction import ExtractOptions
from corpuskit.extraction.html import extract
from corpuskit.extraction.html.forest import load_model

_spec = importlib.util.spec_from_file_location("html_train", Path(__file__).parent / "html_train.py")
_train = importlib.util.module_from_spec(_spec)
sys.modules["html_train"] = _train
_spec.loader.exec_module(_train)
_models = [load_model(Path(os.environ["CORPUSKIT_FOLDS"]) / f"fold{fold}.npz") for fold in range(_train.FOLDS)]


def text(raw: bytes, url: str | None, set_name: str, page_id: str) -> str:
    """The main text."""
    model = _models[_train.fold_of(_train.domain_of(url, page_id))]
    document = extract.extract_page(raw, uri=url, options=ExtractOptions(), charset=None, model=model)
    return document.to_text(main=True)
