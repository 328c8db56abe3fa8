"""A result as a page of HTML: what was found, its pictures, and its tables, in a single file."""

from __future__ import annotations

import base64
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, runtime_checkable

from rankmark.results import html_parts as html
from rankmark.results.drawing.figures import SIZE, as_file, require_matplotlib
from rankmark.results.escaped_bytes import readable
from rankmark.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; }
figure { display: inline-block; margin: 0.5rem 1rem 1rem 0; max-width: 100%; }
figure img { max-width: 100%; width: 32rem; background: #fff; padding: 0.5rem; border-radius: 4px; }
figcaption { font-size: 0.9rem; }
table { border-collapse: collapse; margin: 0.5rem 0 1.5rem; font-variant-numeric: tabular-nums; }
td, th { padding: 0.15rem 0.6rem; border-bottom: 1px solid #8884; }
td + td { white-space: nowrap; }
footer { margin-top: 2rem; font-size: 0.85rem; }
"""
_POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'"


class Picture(NamedTuple):
    """What a picture shows, what draws it on Axes, and its size in inches."""

    caption: str
    draw: Callable[[Axes], Axes | None]
    size: tuple[float, float] = SIZE


class PageParts(NamedTuple):
    """What is on the page of a result.

    Parameters
    ----------
    title
        The heading.
    found
        HTML of what was found, in sentences.
    pictures
        The pictures.
    rest
        HTML of tables and notes.
    """

    title: str
    found: str
    pictures: Sequence[Picture]
    rest: str


@runtime_checkable
class HasPage(Protocol):
    """A result with a page of its own."""

    def _page_parts(self) -> PageParts: ...


def result_page(result: HasPage, title: str | None = None) -> str:
    """Write the page of a result.

    Raises
    ------
    MissingDependencyError
        If matplotlib is not installed.
    """
    require_matplotlib()
    parts = result._page_parts()
    heading = html.escaped(title or parts.title)
    drawn = "".join(map(_figure, parts.pictures))
    return readable(
        '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{heading}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<main>\n"
        f"<h1>{heading}</h1>\n{parts.found}\n{drawn}\n{html.page(parts.rest)}\n</main>\n"
        f"<footer>rankmark {__version__}</footer>\n</body>\n</html>\n"
    )


def _figure(picture: Picture) -> str:
    svg: Any = as_file(picture.draw, "svg", picture.size)
    source = base64.b64encode(svg).decode("ascii")
    caption = html.escaped(picture.caption)
    return (
        f'<figure><img alt="{caption}" src="data:image/svg+xml;base64,{source}">'
        f"<figcaption>{caption}</figcaption></figure>\n"
    )
