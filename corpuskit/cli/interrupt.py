"""Ctrl-C at the end of the program. No heavy imports, since it is needed before the commands are imported."""

from __future__ import annotations


def ignore_ctrl_c() -> None:
    """Ignore Ctrl-C from now on, since the program is ending."""
    import signal
    import threading

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, lambda *_: None)
