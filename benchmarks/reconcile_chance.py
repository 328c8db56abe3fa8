"""`python benchmarks/reconcile_chance.py`: count how many unrelated numbers reconcile explains.

Prints Markdown: the share of numbers that some conventions give, and the share that
`rankmark reconcile` states, for numbers near the true one, for several measures at once, for the
values of another run, and for per-query numbers; and how often an explanation is right. "Simple
rule" is a simpler rule, for comparison: the distinct values divided by the possible numbers between
the lowest and the highest of them, multiplied for several measures and queries.
"""

import argparse
import itertools
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import rankmark as rm
from rankmark.verbs.reconcile import reconciled
from rankmark.verbs.reconcile.candidates import Candidates
from rankmark.verbs.reconcile.certainty import chance_near, right
from rankmark.verbs.reconcile.search import Search
from rankmark.verbs.reconcile.targets import Means, PerQuery, lattice_step

UNREACHABLE = ("0.123456789012", "0.987654321098", "0.555555555555")
EXACT = 12  # decimals
LEVELS = ("1 change", "2 changes", "3 changes", "with subsets")
PER_QUERY_CHANGES = 2
FEWEST = 20


class Tried(NamedTuple):
    """The means under all candidates of one search, by the most changes."""

    start: np.ndarray
    steps: np.ndarray
    with_at_most: tuple[np.ndarray, ...]
    """With at most 0, 1, 2 and 3 changes, without and with subsets of queries."""

    def printed(self, level: int, decimals: int) -> np.ndarray:
        """Return what candidates of a level print: rounded, or cut off as one more change."""
        scale = 10.0**decimals
        rounded = np.rint(self.with_at_most[level] * scale)
        cut = np.floor(self.with_at_most[level - 1 if level < 4 else 2] * scale + 1e-9)
        return np.unique(np.concatenate([rounded, cut]), axis=0).astype(np.int64)

    def before(self, level: int, decimals: int) -> float:
        """Return the chance that the simple rule states."""
        numbers = np.unique(np.rint(self.with_at_most[level] * 10.0**decimals), axis=0)
        possible = np.prod(numbers.max(axis=0) - numbers.min(axis=0) + 1)
        return float(min(1.0, len(numbers) / possible))

    def stated(self, given: np.ndarray, level: int, decimals: int) -> np.ndarray:
        """Return the chance that reconcile states for each of some numbers."""
        reached, steps = self.printed(level, decimals), self.steps * 10.0**decimals
        most = min(level, 3)
        return np.array([chance_near(reached, one, steps, most=most) for one in given])

    def met(self, given: np.ndarray, level: int, decimals: int) -> np.ndarray:
        """Return which of some numbers a candidate gives."""
        known = set(map(tuple, self.printed(level, decimals).tolist()))
        return np.array([tuple(one) in known for one in given.tolist()])


class Recorder(Search):
    """A search that keeps the numbers of every level."""

    last: "Recorder"

    def go(self, **given: Any) -> None:
        """Search, and keep itself."""
        Recorder.last = self
        self.kept: list[np.ndarray] = []
        super().go(**given)

    def _note(self, most: int, *, subsets: bool = False) -> None:
        if isinstance(self.target, Means):
            self.kept.append(np.array(sorted(self._printed)) / 10.0**EXACT)
        super()._note(most, subsets=subsets)


def tried(qrels: Any, run: Any, measures: Sequence[str]) -> Tried:
    """Search numbers that nothing gives, and keep all values of candidates."""
    found = rm.reconcile(qrels, run, list(measures), list(UNREACHABLE[: len(measures)]))
    assert not found
    search = Recorder.last
    assert isinstance(search.target, Means)
    scores = search.candidates.scores(()) or ()
    average = search.candidates.start.average(())
    steps = [lattice_step(one.measure, len(one.rows(average))) for one in scores]
    return Tried(
        np.array(list(found.start.values())), np.array(steps), (*search.kept[:4], search.kept[-1])
    )


def main(argv: Sequence[str] | None = None) -> int:
    """Print a table for each question."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("data", type=Path, help="a folder with dl-hard-passage and trec_eval-test")
    parser.add_argument("--numbers", type=int, default=400, help="numbers drawn for each figure")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args(argv)
    vars(reconciled)["Search"] = Recorder
    began, random = time.process_time(), np.random.default_rng(options.seed)
    sets = dict(collections(options.data))
    single = {
        (name, run, measure): tried(qrels, path, [measure])
        for name, (qrels, runs) in sets.items()
        for run, path in itertools.islice(runs.items(), 2 if name == "DL-Hard" else 1)
        for measure in ("nDCG@10", "AP", "P@10", "RR@10")
    }
    pairs = {
        name: tried(qrels, next(iter(runs.values())), ["nDCG@10", "AP"])
        for name, (qrels, runs) in sets.items()
    }
    near_the_truth(single, random, options.numbers)
    several(pairs, random, options.numbers)
    of_another_run(sets, single)
    of_queries(sets, random, options.numbers)
    how_often_right(single, random, options.numbers)
    print(f"\n{time.process_time() - began:.0f} s of CPU time.")
    return 0


def collections(data: Path) -> Iterator[tuple[str, tuple[Any, dict[str, Any]]]]:
    """Yield judgments with runs: real ones, and generated ones."""
    folder = data / "dl-hard-passage"
    runs = {path.stem: path for path in sorted(folder.glob("*.run"))}
    yield "DL-Hard", (folder / "dl_hard-passage.qrels", runs)
    folder = data / "trec_eval-test"
    yield "trec_eval's test", (folder / "qrels.test", {"results": folder / "results.test"})
    random = np.random.default_rng(7)
    for queries, documents in ((100, 40), (25, 200)):
        good = random.normal(size=(queries, documents))
        labels = np.digitize(good, [0.8, 1.4, 2.0])
        qrels = {
            f"q{q}": {f"d{d}": int(x) for d, x in enumerate(row)} for q, row in enumerate(labels)
        }
        made = {}
        for noise in (1.0, 1.2, 1.5, 2.0):
            scores = np.round(good + random.normal(size=good.shape) * noise, 2)
            made[f"noise {noise}"] = {
                f"q{q}": {f"d{d}": float(x) for d, x in enumerate(row)}
                for q, row in enumerate(scores)
            }
        yield f"{queries} generated queries", (qrels, made)


def near_the_truth(
    single: dict[tuple[str, str, str], Tried], random: np.random.Generator, number: int
) -> None:
    """Print how many numbers near the true one are met."""
    print("\n## Numbers near the true one\n")
    print("Numbers from .7 to 1.6 times the true one, and those within 5% of it.\n")
    print(
        "| decimals | candidates | counted | stated | simple rule "
        "| within 5% | stated | simple rule |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for decimals in (3, 4, 5):
        for level, words in enumerate(LEVELS, 1):
            cells = []
            for low, high in ((0.7, 1.6), (0.95, 1.05)):
                met, stated, before = [], [], []
                for one in single.values():
                    given = _drawn(one, low, high, decimals, random, number)
                    if len(given) < FEWEST:  # a lattice may have no other number so near
                        continue
                    met.append(one.met(given, level, decimals).mean())
                    stated.append(one.stated(given, level, decimals).mean())
                    before.append(one.before(level, decimals))
                cells += [_shown(np.mean(each)) for each in (met, stated, before)]
            print(f"| {decimals} | {words} | {' | '.join(cells)} |")


def _drawn(
    one: Tried, low: float, high: float, decimals: int, random: np.random.Generator, number: int
) -> np.ndarray:
    """Draw numbers that the measure can have, in units of the last decimal."""
    values = random.uniform(low, high, (number, len(one.start))) * one.start
    steps = np.where(one.steps > 0, one.steps, 1.0)
    values = np.where(one.steps > 0, np.rint(values / steps) * steps, values)
    drawn = np.rint(values * 10.0**decimals).astype(np.int64)
    # That nothing needs to change is another answer.
    other = (drawn != np.rint(one.start * 10.0**decimals)).any(axis=1)
    return np.array(drawn[other])


def several(pairs: dict[str, Tried], random: np.random.Generator, number: int) -> None:
    """Print how many pairs of numbers near the true ones are met."""
    print("\n## nDCG@10 with AP\n")
    print("| decimals | candidates | within 10%: counted | stated | simple rule |")
    print("|---|---|---|---|---|")
    for decimals in (2, 3, 4):
        for level, words in enumerate(LEVELS, 1):
            met, stated, before = [], [], []
            for one in pairs.values():
                given = _drawn(one, 0.9, 1.1, decimals, random, number)
                met.append(one.met(given, level, decimals).mean())
                stated.append(one.stated(given[:200], level, decimals).mean())
                before.append(one.before(level, decimals))
            cells = [_shown(np.mean(each)) for each in (met, stated, before)]
            print(f"| {decimals} | {words} | {' | '.join(cells)} |")


def of_another_run(
    sets: dict[str, tuple[Any, dict[str, Any]]], single: dict[tuple[str, str, str], Tried]
) -> None:
    """Print how often the value of another run of the same judgments is met."""
    print("\n## The value of another run, 4 decimals\n")
    print(
        "| measure | numbers | given by conventions | stated "
        "| with subsets | stated | simple rule |"
    )
    print("|---|---|---|---|---|---|---|")
    for measure in ("nDCG@10", "AP", "P@10", "RR@10"):
        met, stated, met_all, stated_all, before = [], [], [], [], []
        for (name, run, of), one in single.items():
            if of != measure:
                continue
            qrels, runs = sets[name]
            others = [path for other, path in runs.items() if other != run]
            values = [rm.evaluate(qrels, path, measure)[measure] for path in others]
            given = np.rint(np.array(values).reshape(-1, 1) * 1e4).astype(np.int64)
            met += one.met(given, 3, 4).tolist()
            stated += one.stated(given, 3, 4).tolist()
            met_all += one.met(given, 4, 4).tolist()
            stated_all += one.stated(given, 4, 4).tolist()
            before += [one.before(4, 4)] * len(given)
        cells = [sum(met), np.sum(stated), sum(met_all), np.sum(stated_all), np.sum(before)]
        print(f"| {measure} | {len(met)} | {' | '.join(f'{one:.1f}' for one in cells)} |")


def of_queries(
    sets: dict[str, tuple[Any, dict[str, Any]]], random: np.random.Generator, number: int
) -> None:
    """Print how often the numbers of some queries in another run are met."""
    print("\n## Numbers of queries in another run, 4 decimals, at most 2 changes\n")
    print("| measure | queries | counted | stated: at least | simple rule, if given |")
    print("|---|---|---|---|---|")
    for measure in ("RR@10", "AP", "nDCG@10"):
        tables = []
        for name in ("DL-Hard", "100 generated queries"):
            qrels, runs = sets[name]
            tables += [
                (_tables(qrels, run, measure), _values(qrels, other, measure))
                for run, other in itertools.islice(itertools.permutations(runs.values(), 2), 4)
            ]
        for queries in (1, 2, 3, 5):
            met, stated, before = [], [], []
            for (candidates, rows), values in tables:
                for _ in range(max(1, number // 20)):
                    chosen = np.sort(random.choice(len(values), queries, replace=False))
                    met_one, stated_one, before_one = _of_list(candidates, rows, chosen, values)
                    met.append(met_one)
                    stated.append(stated_one)
                    before += [before_one] if met_one else []
            told = _shown(np.median(before)) if before else ""
            cells = [_shown(np.mean(met)), _shown(np.mean(stated)), told]
            print(f"| {measure} | {queries} | {' | '.join(cells)} |")


def _values(qrels: Any, run: Any, measure: str) -> np.ndarray:
    return np.nan_to_num(rm.evaluate(qrels, run, measure).scores[:, 0])


def _tables(qrels: Any, run: Any, measure: str) -> tuple[Candidates, np.ndarray]:
    """Return the values of all queries under each candidate."""
    query = next(iter(rm.evaluate(qrels, run, measure).per_query(measure)))
    rm.reconcile(qrels, run, measure, per_query={query: "0.123456789"}, changes=1)
    candidates = Recorder.last.candidates
    every = np.arange(len(candidates.rankings.qrels.query_ids))
    target = PerQuery(every, np.zeros((len(every), 1)), [4])
    found = [
        values[:, 0]
        for many in range(PER_QUERY_CHANGES + 1)
        for changes in candidates.of(many)
        if (values := target.by_query(candidates, changes)) is not None
        and not any(convention.name == "printing" for convention, _ in changes)
    ]
    return candidates, np.array(found)


def _of_list(
    candidates: Candidates, rows: np.ndarray, chosen: np.ndarray, values: np.ndarray
) -> tuple[bool, float, float]:
    given = np.rint(values[chosen] * 1e4)
    printed = np.unique(np.rint(rows[:, chosen] * 1e4), axis=0)
    met = bool((printed == given).all(axis=1).any())
    target = PerQuery(chosen, given[:, None] / 1e4, [4])
    known = set().union(*(target.printed(row[:, None] / 1e4, ()) for row in printed))
    stated = target.chance(candidates, known, PER_QUERY_CHANGES)
    possible = np.prod(printed.max(axis=0) - printed.min(axis=0) + 1)
    return met, stated, min(1.0, len(printed) / possible)


def how_often_right(
    single: dict[tuple[str, str, str], Tried], random: np.random.Generator, number: int
) -> None:
    """Print how often an explanation is right, if half of all numbers come from the table."""
    print("\n## How often an explanation is right\n")
    print("| first found with | 3 decimals | stated | 4 decimals | stated | 5 decimals | stated |")
    print("|---|---|---|---|---|---|---|")
    found: dict[tuple[int, int], list[tuple[bool, float]]] = {}
    for one in single.values():
        for decimals in (3, 4, 5):
            levels = [one.printed(level, decimals) for level in range(1, 4)]
            known = [set(map(tuple, level.tolist())) for level in levels]
            given, needed = _mixed(one, decimals, random, number)
            by_level = [one.stated(given, level, decimals) for level in range(1, 4)]
            for at, number_given in enumerate(map(tuple, given.tolist())):
                first = next((n for n in range(3) if number_given in known[n]), None)
                if first is not None:
                    told = right([float(by_level[n][at]) for n in range(first + 1)])
                    told_of = found.setdefault((first + 1, decimals), [])
                    told_of.append((needed[at] == first + 1, told))
    for changes in (1, 2, 3):
        cells = []
        for decimals in (3, 4, 5):
            told_of = found.get((changes, decimals), [(False, 0.0)])
            cells += [f"{np.mean([one[at] for one in told_of]):.2f}" for at in (0, 1)]
        print(f"| {LEVELS[changes - 1]} | {' | '.join(cells)} |")


def _mixed(
    one: Tried, decimals: int, random: np.random.Generator, number: int
) -> tuple[np.ndarray, list[int]]:
    """Draw numbers, half of them from nothing near the truth; with the changes that they need."""
    needed = random.choice([0, 1, 2, 3], number, p=[0.5, 0.3, 0.15, 0.05]).tolist()
    new = [one.with_at_most[0]]
    for level in (1, 2, 3):
        before = set(map(tuple, one.with_at_most[level - 1].tolist()))
        rows = [row for row in one.with_at_most[level].tolist() if tuple(row) not in before]
        new.append(np.array(rows))
    values = [
        one.start * random.uniform(0.8, 1.2)
        if many == 0
        else new[many][random.integers(len(new[many]))]
        for many in needed
    ]
    return np.rint(np.array(values) * 10.0**decimals).astype(np.int64), needed


def _shown(share: Any) -> str:
    return (
        f"{share:.0e}" if 0 < share < 0.0005 else f"{share:.3f}".lstrip("0") if share < 1 else "1"
    )


if __name__ == "__main__":
    sys.exit(main())
