"""JupyterLab and a chromium for tests: bounded in time, loopback only; ends only what it started."""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

CHROMIUM = os.environ.get("CORPUSKIT_CHROMIUM") or shutil.which("chromium") or ""
_ARGUMENTS = [
    "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
    "--disable-component-update", "--disable-sync",
]  # fmt: skip
_KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}


@contextlib.contextmanager
def jupyterlab(root, *, start_seconds=90):
    """Gives the base URL and the token of a JupyterLab whose notebooks stand in ``root/nb``."""
    notebooks, config = root / "nb", root / "config"
    notebooks.mkdir(parents=True, exist_ok=True)
    (config / "labconfig").mkdir(parents=True, exist_ok=True)
    quiet = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
    (config / "labconfig" / "page_config.json").write_text(json.dumps(quiet))
    folders = {
        "JUPYTER_CONFIG_DIR": config, "JUPYTER_DATA_DIR": root / "data", "JUPYTER_RUNTIME_DIR": root / "run",
        "IPYTHONDIR": root / "ipython", "JUPYTERLAB_WORKSPACES_DIR": root / "workspaces",
        "JUPYTERLAB_SETTINGS_DIR": root / "settings",
    }  # fmt: skip
    token, port = secrets.token_hex(8), _free_port()
    command = [
        sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root", "--ip=127.0.0.1", f"--port={port}",
        "--port-retries=0", "--KernelManager.shutdown_wait_time=0.5", f"--IdentityProvider.token={token}", "--expose-app-in-browser",
        f"--ServerApp.root_dir={notebooks}",
    ]  # fmt: skip
    environment = {**os.environ, **{name: str(folder) for name, folder in folders.items()}}
    with (root / "lab.log").open("wb") as log:
        server = subprocess.Popen(command, env=environment, stdout=log, stderr=log, start_new_session=True)
        try:
            base = f"http://127.0.0.1:{port}"
            _wait_for(server, f"{base}/api/status?token={token}", root / "lab.log", start_seconds)
            yield base, token
        finally:
            _end(server)


def _free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _wait_for(server, url, log, seconds):
    until = time.monotonic() + seconds
    while True:
        if server.poll() is not None:
            raise RuntimeError(log.read_text()[-2000:])
        try:
            with urllib.request.urlopen(url, timeout=2) as answer:
                answer.read()
            return
        except OSError:
            if time.monotonic() > until:
                raise TimeoutError(f"JupyterLab did not start in {seconds} s: {log.read_text()[-1000:]}") from None
            time.sleep(0.1)


def _end(server):
    server.terminate()  # SIGTERM: the server ends its kernels
    try:
        server.wait(15)
    except subprocess.TimeoutExpired:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait(5)


@contextlib.contextmanager
def chromium(**options):
    """Gives a browser context."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=_ARGUMENTS, headless=True)
        try:
            yield browser.new_context(viewport={"width": 1280, "height": 900}, **options)
        finally:
            browser.close()


class Notebook:
    """One open notebook, driven by command ids of ``window.jupyterapp``, not by menus."""

    def __init__(self, page, base, token, path):
        self.page, self.base, self.token, self.path = page, base, token, path

    def open(self, seconds=60):
        """Opens the notebook in the JupyterLab that the page shows already, or in a new one."""
        if self.page.url.startswith(self.base):
            self.page.evaluate(
                "async (path) => { await jupyterapp.commands.execute('docmanager:open', { path }); }", self.path
            )
        else:
            url = f"{self.base}/doc/tree/{self.path}?token={self.token}&reset"
            self.page.goto(url, wait_until="domcontentloaded", timeout=1000 * seconds)
        self.page.wait_for_function(
            """path => {
                const panel = window.jupyterapp?.shell?.currentWidget;
                return panel?.context?.path === path && panel.context.isReady && panel.sessionContext?.session?.kernel?.status === 'idle';
            }""",
            arg=self.path,
            timeout=1000 * seconds,
        )
        return self

    def run(self, cell=None, seconds=60):
        """Runs one cell, or all; an error in one fails. Comes back when the kernel has answered."""
        errors = self.page.evaluate(
            """async ([cell, ms]) => {
                const notebook = jupyterapp.shell.currentWidget.content;
                const run = async () => {
                    if (cell === null) return jupyterapp.commands.execute('notebook:run-all-cells');
                    notebook.activeCellIndex = cell;
                    notebook.deselectAll();
                    return jupyterapp.commands.execute('notebook:run-cell');
                };
                const late = new Promise((_, no) => setTimeout(() => no(new Error('cells took too long')), ms));
                await Promise.race([run(), late]);
                return notebook.widgets.flatMap((one) => one.model.outputs?.toJSON() ?? [])
                    .filter((output) => output.output_type === 'error')
                    .map((output) => `${output.ename}: ${output.evalue}`);
            }""",
            [cell, 1000 * seconds],
        )
        assert not errors, errors
        return self

    def python(self, code, seconds=30):
        """Runs code in the kernel; gives what it prints."""
        return self.page.evaluate(
            """async ([code, ms]) => {
                const kernel = jupyterapp.shell.currentWidget.sessionContext.session.kernel;
                let text = '';
                const future = kernel.requestExecute({ code, store_history: false });
                future.onIOPub = (message) => {
                    if (message.header.msg_type === 'stream') text += message.content.text;
                    if (message.header.msg_type === 'error') text += `${message.content.ename}: ${message.content.evalue}`;
                };
                const late = new Promise((_, no) => setTimeout(() => no(new Error('the kernel took too long')), ms));
                await Promise.race([future.done, late]);
                return text;
            }""",
            [code, 1000 * seconds],
        ).strip()

    def eventually(self, code, seconds=20):
        """Waits until an expression is true in the kernel."""
        end = time.monotonic() + seconds
        while self.python(f"print(bool({code}))") != "True":
            assert time.monotonic() < end, self.python(f"print({code.partition(' == ')[0]})")
            self.page.wait_for_timeout(50)

    def output(self, cell):
        return self.page.locator(".jp-Notebook .jp-Cell").nth(cell).locator(".jp-Cell-outputArea")

    @property
    def cells(self):
        return self.page.evaluate("() => jupyterapp.shell.currentWidget.content.model.cells.length")

    @property
    def sources(self):
        return self.page.evaluate(
            "() => [...jupyterapp.shell.currentWidget.content.widgets].map((one) => one.model.sharedModel.source)"
        )

    def press(self, *keys):
        for key in keys:
            self.page.keyboard.press(key)

    def violations(self, context):
        """What axe-core finds in an element of any level: rule, impact and the first places."""
        found = Axe().run(self.page, context=context).response["violations"]
        return [(one["id"], one["impact"], [node["html"][:150] for node in one["nodes"][:2]]) for one in found]

    def theme(self, name):
        self.page.evaluate("async (theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })", name)
        light = "false" if "Dark" in name else "true"
        self.page.wait_for_function(f"() => document.body.dataset.jpThemeLight === '{light}'")
        self.page.wait_for_timeout(300)


def write_notebook(path, *cells):
    """A notebook of code cells."""
    # As text: importing nbformat takes four seconds (jsonschema compiles a grammar of addresses).
    rows = [
        {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": [], "source": cell} for cell in cells
    ]
    path.write_text(json.dumps({"nbformat": 4, "nbformat_minor": 4, "metadata": _KERNEL, "cells": rows}))


def too_wide(widget):
    """Classes of the elements that scroll to the side, and a note where the widget is wider than the page."""
    return widget.evaluate(
        "(root) => [root, ...root.querySelectorAll('*')].filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1"
        " && ['auto', 'scroll'].includes(getComputedStyle(one).overflowX)).map((one) => one.className)"
        ".concat(root.getBoundingClientRect().right > innerWidth ? ['wider than the page'] : [])"
    )
