"""How the program ends when Ctrl-C was pressed."""

from __future__ import annotations


def hear_no_more() -> None:
    """Take no notice of Ctrl-C any more: the program is ending, and another one would only tear that apart."""
    import signal
    import threading

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: None)
