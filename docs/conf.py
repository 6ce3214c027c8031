"""Configuration of Sphinx for the documentation, which `make docs` builds."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any

import fuzzyucs

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))  # so that the modules beside this file can be imported

project = "fuzzyucs"
author = "The fuzzyucs developers"
project_copyright = author
version = release = fuzzyucs.__version__

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "api_overview",
    "live_report",
]
exclude_patterns = ["_templates"]
templates_path = ["_templates"]
default_role = "literal"  # docstrings have names between single backquotes

myst_heading_anchors = 3
myst_enable_extensions = ["colon_fence"]

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc sections state types
autodoc_member_order = "bysource"
add_module_names = False
toc_object_entries_show_parents = "hide"
numpydoc_show_class_members = False  # the template of classes lists them
numpydoc_xref_param_type = False

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/(?!report_page|digits_pad)\w+\.py$",  # pictures of pages need a browser
    "abort_on_example_error": True,
    "reset_argv": "example_pictures.arguments",
    "within_subsection_order": "example_pictures.QuickstartFirst",
    "image_scrapers": ("example_pictures.take_picture",),
    "remove_config_comments": True,
    "default_thumb_file": str(HERE / "images" / "rules.png"),
    "thumbnail_size": (400, 280),
    "download_all_examples": False,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 10_000,  # times depend on the machine more than on the library
    "write_computation_times": False,
}

# Code and commands are copied without prompts, and output not at all.
copybutton_selector = "div:not(.highlight-text):not(.highlight-none) > div.highlight > pre"
copybutton_exclude = ".linenos, .gp, .go"
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True

html_theme = "pydata_sphinx_theme"
html_title = "fuzzyucs"
html_static_path = ["_static"]
html_css_files = ["site.css"]
LOGO = "_static/logo.svg"  # for light and dark pages
html_favicon = LOGO
html_copy_source = html_show_sourcelink = False
html_theme_options: dict[str, Any] = {
    "logo": {
        "text": "fuzzyucs",
        "image_light": LOGO,
        "image_dark": LOGO,
    },
    "navbar_end": ["version-switcher", "theme-switcher"],
    "header_links_before_dropdown": 6,
    "navbar_align": "left",
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "secondary_sidebar_items": {"**": ["page-toc"], "index": []},
}
# In the format of the theme's own list of versions; addresses are relative to the first page.
html_context = {
    "default_mode": "auto",
    "versions": json.loads((HERE / "switcher.json").read_text()),
}
html_sidebars = {"index": [], "tour": [], "changelog": [], "contributing": []}


def skip_foreign(
    app: Any,  # noqa: ARG001
    what: str,  # noqa: ARG001
    name: str,  # noqa: ARG001
    member: Any,
    skip: bool,  # noqa: ARG001
    options: Any,  # noqa: ARG001
) -> bool | None:
    """Leave out members that scikit-learn and river add to classes and document themselves."""
    module = getattr(member, "__module__", None) or type(member).__module__
    return True if module.startswith(("sklearn.", "river.")) else None


def prepare_docstring(
    app: Any,  # noqa: ARG001
    what: str,
    name: str,  # noqa: ARG001
    member: Any,  # noqa: ARG001
    options: Any,  # noqa: ARG001
    lines: list[str],
) -> None:
    """Show formulas of modules verbatim, and keep ``(n_features_in_,)`` from being a reference."""
    prepared: list[str] = []
    margin = 0  # indentation of the text around
    for line in lines:
        indent = len(line) - len(line.lstrip())
        is_formula = what == "module" and indent >= margin + 4
        if is_formula and not prepared[-1]:
            prepared += [" " * margin + "::", ""]
        if line and not is_formula:
            margin = indent
        prepared.append(re.sub(r"\((\w+)_,\)", r"(\1\\_,)", line))
    lines[:] = prepared


def setup(app: Any) -> None:
    """Connect the functions above to events of Sphinx."""
    app.connect("autodoc-skip-member", skip_foreign)
    app.connect("autodoc-process-docstring", prepare_docstring)
