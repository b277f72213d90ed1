"""The demonstration: a small web of this project's own, crawled, labelled, learnt and exported on this machine."""

from corpuskit.demo.chat_server import serve_demo_chat
from corpuskit.demo.demo_run import (
    DemoResult,
    crawl_options,
    demo_corpus,
    harvest,
    label_from_file,
    run_demo,
    seeds,
    truth,
)
from corpuskit.demo.notebook_stages import story
from corpuskit.demo.web_server import DemoWeb, demo_data, serve_demo_web, start_demo_web
from corpuskit.plugins import moved_names

__all__ = [
    "DemoResult",
    "DemoWeb",
    "crawl_options",
    "demo_corpus",
    "demo_data",
    "harvest",
    "label_from_file",
    "run_demo",
    "seeds",
    "serve_demo_chat",
    "serve_demo_web",
    "start_demo_web",
    "story",
    "truth",
]

__getattr__ = moved_names(__name__)
