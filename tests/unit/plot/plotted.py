"""What tests of pictures share: evaluations to draw, and what is read off the Axes."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Text

import rankmark as rm
from rankmark.results.drawing.figures import _CAPTION
from rankmark.verbs.plot.kinds import KINDS

EXAMPLE = Path(rm.__file__).parent / "example"
RUNS = [EXAMPLE / name for name in ("bm25.run", "lsa.run", "overlap.run")]


@cache
def evaluations() -> tuple[rm.Evaluation, ...]:
    """Evaluate the example's runs."""
    return tuple(rm.evaluate(EXAMPLE / "qrels.txt", run, ["nDCG@10", "AP"]) for run in RUNS)


def axes() -> Axes:
    """Make Axes of a figure that pyplot does not know."""
    return Figure(figsize=(6, 4), layout="constrained").add_subplot()


def runs_of(kind: Any, evs: Sequence[rm.Evaluation]) -> list[rm.Evaluation]:
    return [*evs[: KINDS[kind].runs or len(evs)]]


def title(ax: Axes) -> str:
    above: Any = ax.figure
    return above.get_suptitle() or ax.get_title(loc="left").strip()


def caption(ax: Axes) -> str:
    """Return what is written below a picture, in one line."""
    below: Any = ax.figure
    framed = [text.get_text() for text in ax.texts if is_caption(text)]
    return " ".join(framed or [below.get_supxlabel()]).replace("\n", " ")


def is_caption(text: Text) -> bool:
    return text.get_label() == _CAPTION


def texts(ax: Axes) -> list[Text]:
    """Return what is written within a picture."""
    return [text for text in ax.texts if not is_caption(text)]


def legend(ax: Axes) -> list[str]:
    shown = ax.get_legend()
    return [] if shown is None else [text.get_text() for text in shown.get_texts()]


def written(ax: Axes) -> None:
    ax.figure.draw_without_rendering()


@cache  # an evaluation keeps no matrices, and some pictures read them again
def matrices(seed: int, queries: int) -> tuple[Any, Any]:
    dice = np.random.default_rng(seed)
    labels = np.random.default_rng(0).integers(0, 3, (queries, 20))
    return labels, labels + dice.normal(size=labels.shape) * 2


@cache
def many(seed: int, queries: int = 10_000) -> rm.Evaluation:
    return rm.evaluate(*matrices(seed, queries), "nDCG@10")
