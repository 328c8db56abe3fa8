"""Results that say what they show: every form follows from headline, tables, notes and contents."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import rankmark as rm
from rankmark.results.details import Detail
from rankmark.results.marked_tables import MarkedTable
from rankmark.results.result import Row
from rankmark.results.shown_result import Column, DrawnResult, table_of
from rankmark.results.table_schema import columns_of


@dataclass(frozen=True)
class Planet(Row):
    """A row."""

    name: str
    value: float
    moons: tuple[str, ...] = ()


class Planets(DrawnResult):
    """A result with rows, an array and a plot."""

    _captions = {"sizes": "The size of each", "moons": "The moons of each"}  # noqa: RUF012
    rows = (Planet("Mars", 0.5, ("Phobos", "Deimos")), Planet("Venus", math.nan))
    headline = "Mars is first"

    @property
    def notes(self) -> list[str]:
        return ["two planets", Detail("by mass"), Detail("in units of the earth")]

    @property
    def kept_notes(self) -> list[str]:
        return self.notes[:1]

    def _grids(self, *, top: int | None = None) -> list[MarkedTable]:
        columns = [
            Column("planet", lambda row: row.name),
            Column("size", lambda row: f"{row.value:.1f}", lambda row: row.name == "Mars"),
        ]
        note = "one is not shown" if top == 1 else ""
        caption, label = "Planets.", "tab:planets"
        return [table_of(columns, self.rows[:top], note=note, caption=caption, label=label)]

    def _contents(self, *, sizes: bool = True) -> dict[str, Any]:
        of_all = {"sizes": np.array([0.5, math.inf])} if sizes else {}
        return {"planets": self.rows, **of_all}

    def _table(self) -> dict[str, Any]:
        return columns_of(self.rows)

    def _draw(self, kind: str, ax: Any, *, title: bool) -> None:
        ax.set_title(f"{kind} {title}")


def test_a_text_has_the_headline_the_tables_and_the_notes() -> None:
    text = "Mars is first\n\nplanet  size\nMars     0.5\nVenus    nan\n\ntwo planets\n"
    assert Planets().to_text() == f"{text}2 more notes: to_text(verbose=True)"
    assert Planets().to_text(verbose=True) == f"{text}by mass\nin units of the earth"
    assert Planets().to_text(quiet=True) == text.rstrip("\n")
    assert Planets().to_text(top=1, quiet=True).endswith("0.5\n\none is not shown\ntwo planets")
    assert max(map(len, Planets().to_text(width=20).splitlines())) <= 20
    assert repr(Planets()) == "Planets(Mars is first)"


def test_documents_have_the_tables_with_the_best_marked() -> None:
    assert "| Mars | **0.5** |" in Planets().to_markdown()
    latex = Planets().to_latex(top=1)
    assert r"\caption{Planets.}" in latex
    assert r"\label{tab:planets}" in latex
    assert r"\bfseries 0.5" in latex
    assert "Venus" not in latex
    html = Planets()._repr_html_()
    assert (
        html.index("<strong>Mars is first") < html.index("<b>0.5</b>") < html.index("two planets")
    )


def test_json_has_rows_and_arrays_without_nan_and_refuses_unknown_choices() -> None:
    mars, venus = Planets().to_dict()["planets"]
    assert mars == {"name": "Mars", "value": 0.5, "moons": ["Phobos", "Deimos"]}
    assert venus == Planets.rows[1].to_dict() == {"name": "Venus", "value": None, "moons": []}
    assert Planets().to_dict()["sizes"] == [0.5, None]
    assert [*Planets().to_dict(sizes=False)] == ["schema", "rankmark", "planets"]
    with pytest.raises(TypeError, match="colours"):
        Planets().to_json(colours=True)
    with pytest.raises(TypeError, match="colours"):
        rm.ann_recall([[1]], [[1]], 1).to_json(colours=True)


def test_kinds_of_plots_are_those_of_the_page() -> None:
    figure = pytest.importorskip("matplotlib.figure").Figure
    assert Planets().plot(ax=figure().add_subplot()).get_title() == "sizes True"
    drawn = Planets().plot("moons", title=False, ax=figure().add_subplot())
    assert drawn.get_title() == "moons False"
    with pytest.raises(rm.InputError, match=r"kind is 'rings'; choose sizes or moons"):
        Planets().plot("rings")
    parts = Planets()._page_parts()
    assert [picture.caption for picture in parts.pictures] == [*Planets._captions.values()]
    assert parts.found == "<p>Mars is first</p>"
    assert parts.rest.endswith("in units of the earth</small></p>")
