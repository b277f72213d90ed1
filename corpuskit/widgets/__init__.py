"""What is seen in a notebook: each widget is a Python file and a plain ES module beside it; no build step, no CDN."""
