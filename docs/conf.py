"""How Sphinx builds the site from these pages: ``make docs``.

The pages are plain Markdown, which can also be read in the repository. Whatever else the site needs
is made here, while it is built.
"""

import contextlib
import os
import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.utils.math import latex2mathml
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment

# Or classes that inherit from torchmetrics where it is installed are shown with all its methods.
sys.modules["torchmetrics"] = None

import rankmark  # noqa: E402

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

import declared  # noqa: E402

TOPIC = r"^(Formula|Nothing relevant|Ties|Unjudged documents|Elsewhere|Source):"  # of a measure
LINK = re.compile(r"(?<=\]\()([^)\s#]+)(?:#[^)\s]*)?(?=\))")

project = "rankmark"
copyright = "The rankmark developers"  # noqa: A001  (Sphinx's name)
version = release = rankmark.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
nb_execution_raise_on_error = True
exclude_patterns = ["_static"]
suppress_warnings = [
    "myst.header",  # some pages go from a title to small headings
    "ref.python",  # attributes of several classes have one name
]
smartquotes = False  # code is quoted, too
pygments_style = "default"

napoleon_google_docstring = False
napoleon_use_rtype = False
napoleon_use_ivar = True
add_module_names = False
toc_object_entries_show_parents = "hide"
autodoc_typehints = "none"  # docstrings say which values there are
autodoc_default_options = {
    "members": True,
    "inherited-members": "tuple,dict,list,str,PathLike,Mapping,BaseException",
}
python_maximum_signature_line_length = 80

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

html_theme = "pydata_sphinx_theme"
html_title = "rankmark"
html_static_path = ["_static"]
html_favicon = "_static/favicon.svg"
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_copy_source = False
html_search_scorer = str(HERE / "search_scorer.js")
html_math_renderer = "mathml"
html_context = {"default_mode": "auto"}  # light or dark, as the system of the reader
html_theme_options = {
    "logo": {"text": "rankmark"},
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_prev_next": False,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
# The first page has no other pages of its section to list.
html_sidebars = {"index": []}


def list_pages(app: Sphinx, page: str, source: list[str]) -> None:
    """Make the links of an index page to pages of its folder the menu of its section."""
    path = Path(app.env.doc2path(page))
    if path.name != "index.md":
        return
    linked = re.findall(r"\[([^]]*)\]\(([\w-]+(?:/index)?)\.(?:md|ipynb)\)", source[0])
    listed = [f"{name} <{to}>" if to.endswith("/index") else to for name, to in linked]
    menu = "\n".join(dict.fromkeys(listed))
    source[0] += f"\n```{{toctree}}\n:hidden:\n\n{menu}\n```\n"


def link_the_repository(app: Sphinx, page: str, source: list[str]) -> None:
    """Offer files outside this folder, which have no page on the site, as downloads."""
    folder = Path(app.env.doc2path(page)).parent

    def as_download(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(folder / match[1]))
        outside = target.is_file() and not target.is_relative_to(HERE)
        return f"path:{match[1]}" if outside else match[0]

    source[0] = LINK.sub(as_download, source[0])


def fill_places(_app: Sphinx, _page: str, source: list[str]) -> None:
    """Put commands, measures, fields and names where a page says that these are to be."""
    source[0] = declared.filled(source[0])


def read_again(_app: Sphinx, env: BuildEnvironment, *_changed: set[str]) -> list[str]:
    """Read the pages again that have such places: declarations may have changed."""
    paths = {page: Path(env.doc2path(page)) for page in env.found_docs}
    return [
        page
        for page, path in paths.items()
        if path.suffix == ".md" and declared.PLACE.search(path.read_text(encoding="utf-8"))
    ]


def escape_docstring(
    _app: Sphinx, _kind: str, _name: str, _documented: object, _options: object, lines: list[str]
) -> None:
    """Let topics be paragraphs, sources count by docstring, and bars be sizes of sets."""
    text = "\n".join(lines)
    text = re.sub(r"^(\s*)\.\. \[(\d+)\] ", r"\1\2. ", text, flags=re.M)
    text = re.sub(TOPIC, r"\n**\1:**", text, flags=re.M)
    text = re.sub(r"(\[\d+\])_", r"\1", text)
    lines[:] = re.sub(r"\|(\S|\S[^|\n]*\S)\|", r"\|\1\|", text).split("\n")  # as in |A and B|


def join_names(
    _app: Sphinx, _kind: str, _name: str, _documented: object, _options: object, lines: list[str]
) -> None:
    """Keep names that share a description from being taken for a type and a name."""
    for at, line in enumerate(lines):
        if line.startswith(":ivar "):
            names, colon, text = line[6:].partition(": ")
            lines[at] = f":ivar {names.replace(', ', ',')}{colon}{text}"


def write_example_report(app: Sphinx, failed: Exception | None) -> None:
    """Write the report of the example collection, which How-to: Reporting links."""
    if failed is None and app.builder.format == "html":
        # There, so that the report shows no paths of the machine that builds the site.
        with contextlib.chdir(Path(rankmark.__file__).parent / "example"):
            runs = ["bm25.run", "lsa.run", "overlap.run"]
            compared = rankmark.compare("qrels.txt", runs, ["nDCG@10", "AP", "RR@10"])
            rankmark.write_report(
                compared,
                Path(app.outdir) / "how-to" / "example-report.html",
                queries_text="queries.tsv",
                docs_text="corpus.tsv",
            )


def write_mathml(writer: Any, node: nodes.math) -> None:
    """Write a formula as MathML, which browsers show without a script."""
    block = isinstance(node, nodes.math_block)
    text = latex2mathml.tex2mathml(node.astext(), as_block=block)
    # Not the class "math", whose contents the theme moves to the right, as it expects MathJax.
    writer.body.append(f'<div class="formula">{text}</div>' if block else text)
    raise nodes.SkipNode


def setup(app: Sphinx) -> None:
    """Register what is defined above."""
    app.connect("source-read", list_pages)
    app.connect("source-read", fill_places)
    app.connect("env-get-outdated", read_again)
    app.connect("source-read", link_the_repository)
    app.connect("autodoc-process-docstring", escape_docstring, priority=400)  # before napoleon
    app.connect("autodoc-process-docstring", join_names, priority=600)
    app.connect("build-finished", write_example_report)
    app.add_html_math_renderer("mathml", (write_mathml, None), (write_mathml, None))
