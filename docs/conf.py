"""Sphinx builds the site from the pages in this folder: ``make docs``.

What is made from the code at each build, and never kept: the pages of the rules and of the modules, and the replay that
is shown (:mod:`tools.docs.site`).
"""

import sys
from pathlib import Path

from sphinx.ext.napoleon.docstring import GoogleDocstring

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import uno_env  # noqa: E402
from tools.docs.site import link_guide, make_pages, name_parts, show_fields  # noqa: E402

project = "uno-env"
author = "the uno-env authors"
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "sphinx.ext.viewcode"]
exclude_patterns = ["_build"]
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}

myst_heading_anchors = 3
myst_enable_extensions = ["attrs_inline", "colon_fence"]

autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_default_options = {"members": True, "show-inheritance": True}
napoleon_numpy_docstring = False
GoogleDocstring._parse_attribute_docstring = lambda self: list(self._lines)  # else "How it is: …" were a type
suppress_warnings = ["ref.python"]  # a type such as "int32 [games]" is no reference

html_theme = "furo"
release = version = uno_env.__version__
html_title = f"uno-env {version}"
html_static_path = ["pictures", "site.css"]
html_css_files = ["site.css"]
html_extra_path = ["made"]
html_theme_options = {"source_directory": "docs/"}
html_show_copyright = False

make_pages(Path(__file__).parent)


def setup(app):
    """Let :mod:`tools.docs.site` change docstrings, and the pages that Sphinx has written."""
    app.connect("autodoc-process-docstring", link_guide)
    app.connect("autodoc-process-signature", show_fields)
    app.connect("build-finished", name_parts)
