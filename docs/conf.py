"""Sphinx builds the site from the pages in this folder: ``make docs``.

What is made from the code at each build, and never kept: the pages of the rules, the plots of saved figures, and the
replay that is shown (:mod:`tools.docs.site`).
"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.docs.site import make_pages  # noqa: E402

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
suppress_warnings = ["ref.python"]  # a type such as "int32 [games]" is no reference

html_theme = "furo"
html_title = "uno-env"
html_static_path = ["pictures"]
html_extra_path = ["made"]
html_theme_options = {"source_directory": "docs/"}
html_show_copyright = False

make_pages(Path(__file__).parent)
