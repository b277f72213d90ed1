"""The demonstration: a small web of this project's own, crawled, labelled, learnt and exported on this machine."""

from corpuskit.demo.server import demo_data, serve_demo_web

__all__ = ["demo_data", "serve_demo_web"]
