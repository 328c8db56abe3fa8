"""`python benchmarks/click_labels.py`: what judgments from clicks and their intervals are worth.

Draws searches with known examination, attraction and satisfaction, judges the documents as
`rm.judge_clicks` does, and counts how often intervals hold the truth. Prints Markdown, the hardest
searches first. Bold: more than 1.5 points too low.
"""

import argparse
import sys
import time
import zlib
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import numpy as np
from simulated.clicked import DEPTH, EXAMINATION, Drawn, Searches
from simulated.printed import command, table

from rankmark.clicks.labels.examination_estimates import by_em, from_shared, linked_depth
from rankmark.clicks.labels.label_formulas import Labels, Ratio, sdbn_labels
from rankmark.clicks.labels.rank_cells import RankCells, SharedClicks

SEARCHES = (
    Searches("hardly any swaps", jitter=0.1),
    Searches("1,000 issues of 50 queries", queries=50, issues=1_000),
    Searches("rare clicks", attraction=(1.0, 30.0)),
    Searches("traffic 1/place^1.5", skew=1.5),
    Searches("3 queries", queries=3),
    Searches("even traffic"),
)
LEAST = 10
TAIL = 0.025


def position_bias(drawn: Drawn) -> dict[str, Any]:
    """Return how often people look at rank 10, and whether the intervals of all ranks hold."""
    _, n, clicks = drawn.cells(drawn.clicks)
    at, rank = np.nonzero(n)
    query = at // drawn.attraction.shape[1]
    queries, pairs = (np.unique(one, return_inverse=True)[1] for one in (query, at))
    cells = RankCells(queries, pairs, rank + 1, n[at, rank], clicks[at, rank])
    found: dict[str, Any] = {"em": by_em(cells, DEPTH).estimate[-1]}
    for method in ("chain", "pairs"):
        shared = SharedClicks.of(cells, method)
        totals = shared.totals(DEPTH)
        if linked_depth(totals) == DEPTH:
            one = from_shared(shared, totals, 1 - 2 * TAIL)
            held = ((one.low <= EXAMINATION) & (one.high >= EXAMINATION))[1:]
            found[method] = one.estimate[-1], held.mean(), (one.high - one.low)[-1]
    return found


def judged(drawn: Drawn) -> dict[str, tuple[Labels, Any, Any]]:
    """Return labels by method, the truth of each, and what they should order documents by."""
    pair, n, clicks = drawn.cells(drawn.clicks)
    shown, clicked, ones = n.sum(1), clicks.sum(1).astype(float), np.ones(len(n))
    rates = clicks.sum(0) / n.sum(0)
    looks, worth = n @ EXAMINATION, clicks @ (1 / EXAMINATION)
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = np.where(clicked > 0, (clicks @ (1 / EXAMINATION**2)) / worth, shown / looks)
        ratios = {
            "CTR": Ratio(clicked, shown.astype(float), shown, ones),
            "COEC": Ratio(clicked, n @ rates, shown, ones),
            "PBM": Ratio(clicked, looks, shown, ones),
            "IPS": Ratio(worth, shown.astype(float), shown, mean),
        }
        a = drawn.attraction.ravel()
        expected = (n * EXAMINATION * a[:, None]).sum(0) / n.sum(0)
        truth = {"CTR": a * looks / shown, "COEC": a * looks / (n @ expected), "PBM": a, "IPS": a}
    found: dict[str, tuple[Labels, Any, Any]] = {}
    kept = shown >= LEAST
    for method, ratio in ratios.items():
        of_kept = Ratio(*(one[kept] for one in ratio))
        labels = of_kept.labels(None, TAIL)
        found[method] = labels, truth[method][kept], (a[kept], kept)
    found |= _sdbn(drawn, pair)
    return found


def _sdbn(drawn: Drawn, pair: Any) -> dict[str, tuple[Labels, Any, Any]]:
    clicks = drawn.scanned_clicks
    last = DEPTH - 1 - clicks[:, ::-1].argmax(axis=1)
    at = np.arange(DEPTH)
    is_in = clicks.any(axis=1)[:, None] & (at <= last[:, None])
    is_last = is_in & (at == last[:, None])
    size = drawn.attraction.size
    sums = {
        name: np.bincount(pair[where], minlength=size)
        for name, where in (("clicks", clicks), ("examined", is_in), ("last", is_last))
    }
    kept = sums["examined"] >= LEAST
    a, s = drawn.attraction.ravel(), drawn.satisfaction.ravel()
    of_kept = {name: one[kept] for name, one in sums.items()}
    labels, _, _ = sdbn_labels(of_kept, None, TAIL)
    return {"SDBN": (labels, (a * s)[kept], ((a * s)[kept], kept))}


def agreement(label: Any, truth: Any, query: Any) -> float:
    """Return how much more often than not labels order two documents of a query as the truth."""
    same, pairs = 0.0, 0
    for one in np.unique(query):
        at = query == one
        signs = np.sign(label[at][:, None] - label[at]) * np.sign(truth[at][:, None] - truth[at])
        same += signs.sum()
        pairs += signs.size - len(signs)
    return same / max(pairs, 1)


def main(argv: Sequence[str] | None = None) -> int:
    """Simulate what was asked for."""
    parser = argparse.ArgumentParser(prog="python benchmarks/click_labels.py", description=__doc__)
    parser.add_argument("--samples", type=int, default=100, help="a figure (100)")
    parser.add_argument("--only", default="", help="searches whose names contain this")
    options = parser.parse_args(argv)
    began = time.process_time()
    print(command("click_labels.py", argv))
    by_rank, by_label = [], []
    for searches in SEARCHES:
        if options.only not in searches.name:
            continue
        rng = np.random.default_rng(zlib.crc32(searches.name.encode()))
        bias: dict[str, list[Any]] = defaultdict(list)
        figures: dict[str, list[Any]] = defaultdict(list)
        for _ in range(options.samples):
            drawn = searches.draw(rng)
            for method, one in position_bias(drawn).items():
                bias[method].append(one)
            for method, (labels, truth, (worth, kept)) in judged(drawn).items():
                held = np.mean((labels.low <= truth) & (truth <= labels.high))
                query = np.flatnonzero(kept) // drawn.attraction.shape[1]
                figures[method].append((held, agreement(labels.label, worth, query)))
        texts = []
        for method in ("chain", "pairs"):
            estimate, held, width = np.mean(bias[method], axis=0) if bias[method] else [np.nan] * 3
            texts += [f"{estimate:.3f}", f"{_share(held)} ({width:.2f})"]
        by_rank.append([searches.name, *texts, f"{np.mean(bias['em']):.3f}"])
        means = {method: np.mean(one, axis=0) for method, one in figures.items()}
        cells = [f"{_share(held)} ({agrees:.2f})" for held, agrees in means.values()]
        by_label.append([searches.name, *cells])
    table(
        "Examination of rank 10, of which .100 is true; percent of intervals of 95% that hold that "
        "of a rank, and their mean width at rank 10",
        ["searches", "chain", "holds", "pairs", "holds", "EM"],
        by_rank,
    )
    table(
        "Labels: percent of intervals of 95% that hold the truth, and Kendall's tau with it within "
        "queries",
        ["searches", "CTR", "COEC", "PBM", "IPS", "SDBN"],
        by_label,
    )
    print(f"\n{time.process_time() - began:,.0f} seconds of CPU.")
    return 0


def _share(held: float) -> str:
    text = f"{100 * held:.1f}"
    return f"**{text}**" if held < 0.935 else text


if __name__ == "__main__":
    sys.exit(main())
