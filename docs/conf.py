"""The manual's settings.

Sphinx with MyST and the PyData theme, because pandas, JupyterLab and ipywidgets keep their manuals in them: what they
need is kept up, and their readers find their way. Everything is on the page's own server: no font, script or formula
comes from elsewhere.
"""

from corpuskit import __version__

project = "corpuskit"
author = "The corpuskit developers"
project_copyright = "The corpuskit developers, Apache-2.0"
version = release = __version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "corpuskit_docs.accessible",
    "corpuskit_docs.directives",
    "corpuskit_docs.plain_markdown",
    "corpuskit_docs.references",
]
exclude_patterns = ["_build", "generator", "README.md"]
suppress_warnings = [
    "toc.empty_glob",
    "ref.python",  # documented in the package and in the top-level module: either entry will do
]

myst_enable_extensions = ["colon_fence", "deflist", "fieldlist"]
myst_heading_anchors = 4

napoleon_use_ivar = True  # attributes are documented once, with the class
napoleon_use_rtype = (
    False  # the result is described in sentences; its type is in the signature
)
autoclass_content = "class"
autodoc_member_order = "bysource"
autodoc_typehints_format = "short"
python_use_unqualified_type_names = True
python_display_short_literal_types = True
maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

html_theme = "pydata_sphinx_theme"
html_title = f"corpuskit {version}"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_favicon = "_static/icon.svg"
html_context = {"default_mode": "auto"}  # light or dark, as the reader's system is
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "corpuskit"},
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
    "navigation_with_keys": False,
    "header_links_before_dropdown": 4,
    "show_toc_level": 2,
    "footer_start": ["copyright"],
    "footer_end": [],
    "article_footer_items": [],
    "secondary_sidebar_items": ["page-toc"],
}
