"""Demonstration on a small synthetic web: crawl, label, train and export on this machine."""

from corpuskit.demo.chat_server import serve_demo_chat
from corpuskit.demo.demo_run import (
    DemoResult,
    crawl_options,
    demo_corpus,
    gold_labels,
    harvest,
    label_from_file,
    run_demo,
    seeds,
    truth,
)
from corpuskit.demo.notebook_stages import notebook_corpus, story
from corpuskit.demo.web_server import DemoWeb, demo_data, serve_demo_web, start_demo_web
from corpuskit.plugins import moved_names

__all__ = [
    "DemoResult",
    "DemoWeb",
    "crawl_options",
    "demo_corpus",
    "demo_data",
    "gold_labels",
    "harvest",
    "label_from_file",
    "notebook_corpus",
    "run_demo",
    "seeds",
    "serve_demo_chat",
    "serve_demo_web",
    "start_demo_web",
    "story",
    "truth",
]

__getattr__ = moved_names(__name__)
