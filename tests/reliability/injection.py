"""Every writer with every hostile name: no name changes the structure of what is written.

make injection
"""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import Any

import rankmark as rm
from reliability.campaign_records import write_record
from reliability.hostile_texts import HOSTILE
from reliability.written_formats import READERS, WrongError

ROOT = Path(__file__).resolve().parents[2]
# The format of each public method of a result that writes.
WRITERS: dict[str, dict[str, dict[str, Any]]] = {
    "text": {"to_text": {"width": 1_000_000}},
    "text, folded": {"__str__": {}, "__repr__": {}},
    "HTML": {"_repr_html_": {}, "to_html": {}},
    "Markdown": {"to_markdown": {}},
    "LaTeX": {"to_latex": {}},
    "JUnit XML": {"to_junit": {}},
    "CSV": {"to_csv": {}},
    "CSV, safe": {"to_csv": {"safe": True}},
    "JSON": {"to_json": {}},
}
ELSEWHERE = {"to_dict", "to_pandas", "to_polars", "to_arrow", "to_row", "to_log"}
"""Writers that keep texts as values, which nothing has to parse."""
FOUND = [
    "Captions of LaTeX tables contained unescaped control characters and line breaks; an empty "
    "line ended the command.",
    "The names of custom measures were unescaped in the text of an evaluation.",
    "The text of `check` contained unescaped ids, escape sequences included, if the data was in "
    "memory.",
    "The `repr` of results contained unescaped ids and names.",
    "`--csv-safe` did not guard texts that begin with a line feed, or with a full-width =, +, - "
    "or @, which spreadsheets in Chinese and Japanese read as formulas.",
]
NOT_COVERED = [
    "GitHub turns @names, #numbers and addresses into links after it has read the Markdown. Only "
    "`gate` writes names as code, which prevents this; the tables of `compare` and `evaluate` "
    "contain them as text.",
    "CSV contains ids unchanged unless `--csv-safe` is given, so that other programs can join by "
    "them.",
    "LaTeX was checked by rules for braces and commands, and not by running TeX.",
]


def results(names: Sequence[str]) -> Iterator[tuple[str, Callable[[], Any]]]:
    """Make results of queries, documents, runs, slices and measures of these names."""
    qrels = {name: {name: 2, "b": 1, "c": 0} for name in names} | {"q9": {"a": 1, "b": 2}}
    found = {query: [*judged, "z"] for query, judged in qrels.items()}
    old = {q: {name: 2.0 + at for at, name in enumerate(ids)} for q, ids in found.items()}
    new = {q: {name: 3.0 - at for at, name in enumerate(ids)} for q, ids in found.items()}
    runs: dict[str, Any] = {"old": old} | dict.fromkeys(names, new)
    more = {f"{name}y": {name: 1.0} for name in names}
    own = [_own(f"{name}x") for name in names[:3]]
    measures = ["nDCG@10", "AP", *own]
    scores = {"old": dict.fromkeys(qrels, 0.5)} | {n: dict.fromkeys(qrels, 1.0) for n in names}
    filled = [name for name in names if name]
    gated: dict[str, Any] = dict.fromkeys(filled, old) | {"old": old}
    conditions = [rm.Condition("AP", 0.1), *(rm.Condition("AP", 0.1, slice=n) for n in filled)]
    slices = {name: [name, "q9"] for name in filled}
    yield "evaluation", lambda: rm.evaluate(qrels, new, measures)
    yield "scores in long form", lambda: rm.evaluate(qrels, new, measures).long
    of_slices = {query: query for query in qrels}
    for part in ("", "leaderboard", "differences", "slices"):

        def compared(part: str = part) -> Any:
            result = rm.compare(qrels, runs, "AP", resamples=20, by=of_slices)
            return getattr(result, part) if part else result

        yield f"comparison {part}", compared
    both = {"old": old, "new": new}
    yield "comparison by own measures", lambda: rm.compare(qrels, both, measures, resamples=20)
    yield "comparison of scores", lambda: rm.compare_scores(scores, resamples=20)
    yield "comparison of rankings", lambda: rm.compare_rankings(old, new, ["tau", "RBO"])
    for at, query in enumerate(names):
        yield f"explanation {at}", partial(rm.explain, qrels, new, query, "nDCG@10")
        yield f"difference {at}", partial(rm.explain, qrels, old, query, "AP", against=new)
    yield "difference of means", lambda: rm.explain(qrels, old, measure="AP", against=new)
    yield "power", lambda: rm.power(qrels, old, new, "AP", resamples=20)
    if not any("\ud800" <= letter <= "\udfff" for name in names for letter in name):
        yield "check", lambda: rm.check(qrels, old, new | more)  # else it finds that no id is text
    yield (
        "gate",
        lambda: rm.gate(
            qrels, new, gated, *conditions, slices=slices, small_slices="ignore", worst=5
        ),
    )
    yield "power of a gate", lambda: rm.gate_power(qrels, old, new, {"AP": 0.1}, resamples=10)
    yield from _results_of_other_verbs(names, qrels, old, new)
    yield "reconciliation", lambda: rm.reconcile(qrels, old, "AP", "0.75", changes=0)
    yield "difference of a tool", lambda: rm.reconcile(qrels, old, "AP", against="ranx")


def _results_of_other_verbs(
    names: Sequence[str], qrels: Any, old: Any, new: Any
) -> Iterator[tuple[str, Callable[[], Any]]]:
    both = {"old": old, "new": new}
    runs: dict[str, Any] = {"old": old} | dict.fromkeys(names, new)
    filled = [name for name in names if name]
    yield "fused run", lambda: rm.fuse(both | dict.fromkeys(names, new), "RRF(k=60)")
    yield (
        "explanation of a fused run",
        lambda: rm.explain(qrels, rm.fuse(both | dict.fromkeys(names, new)), names[0], "AP"),
    )
    boards = {
        name: {task: 0.1 * at for task in ("t", *names) if task.strip()}
        for at, name in enumerate(("old", "other", *filled), 1)
    }
    yield "leaderboard of models", lambda: rm.leaderboard(boards, resamples=20)
    lacking = boards | {"last": {"t": 0.5}}
    yield "unranked models", lambda: rm.leaderboard(lacking, resamples=20)
    judged = {query: dict(reversed(labels.items())) for query, labels in qrels.items()}
    called = ["people", names[0] or "empty"]
    yield "judges", lambda: rm.compare_judgments(qrels, judged, names=called, runs=runs)
    model = qrels | {f"m{at}": {"a": 1, "b": at % 2} for at in range(6)}
    answers = {query: {"a": 2.0, "b": 1.0} for query in model}
    yield "estimate", lambda: rm.estimate(qrels, model, dict.fromkeys(names, answers) | both, "RR")
    yield "chosen queries", lambda: rm.choose_queries(model, runs, "RR", n=2)
    yield (
        "abstention",
        lambda: rm.abstention(
            qrels | {"empty": {"a": 0}}, new | {"empty": {"a": 1.0}}, resamples=20
        ),
    )
    nugget = [("n", "vital", "support")]
    yield "nuggets", lambda: rm.nuggets(dict.fromkeys(filled, nugget) | {"q9": nugget})
    cited = [("s", "p", "full")]
    yield "citations", lambda: rm.citations(dict.fromkeys(filled, cited) | {"q9": cited})
    calls = {query: [[*ids], [*ids]] for query, ids in old.items()}
    yield "calls", lambda: rm.evaluate_calls(qrels, calls, "RR")
    spans = {name: [(name, 0, 9)] for name in filled}
    yield "spans", lambda: rm.evaluate_spans(spans, spans, "SpanRecall")


def _own(name: str) -> rm.Own:
    return rm.Own(name, labels=lambda labels: float(labels[0] == 2))


def written(names: Sequence[str]) -> Iterator[tuple[str, str, str]]:
    """Give each text that results write: its format, the result and its method, and the text."""
    for kind, make in results(names):
        try:
            with rm.quiet():
                result = make()
        except rm.RankmarkError as error:  # such as an id that no text can hold
            yield "text", f"{kind}, refused", str(error)
            continue
        for form, methods in WRITERS.items():
            for method, choices in methods.items():
                if hasattr(result, method):
                    yield form, f"{kind}.{method}", getattr(result, method)(**choices)


def in_files(names: Sequence[str], folder: Path) -> Iterator[tuple[str, str, str]]:
    """Give what files with these names, and titles, become in pages, pictures, shells and jobs."""
    for name in names:
        file = _of_file(name)
        if file is None:
            continue
        qrels, old, new = (folder / f"{file}.{end}" for end in ("qrels", "old", "new"))
        qrels.write_text("q 0 a 1\nr 0 b 1\ns 0 a 1\n")
        old.write_text("q Q0 a 1 2 t\nr Q0 b 1 2 t\ns Q0 a 1 2 t\n")
        new.write_text("q Q0 x 1 2 t\nr Q0 b 2 1 t\ns Q0 a 2 1 t\n")
        with rm.quiet():
            gate = rm.gate(qrels, old, new, {"AP": 0.1}, worst=3)
            made = {
                "gate of files": gate,
                "check of files": rm.check(qrels, old),
                "evaluation of files": rm.evaluate(qrels, old, "AP"),
            }
            for form, methods in WRITERS.items():
                for method, choices in methods.items():
                    for what, result in made.items():
                        if hasattr(result, method):
                            yield form, f"{what}.{method}", getattr(result, method)(**choices)
            for lost in json.loads(gate.to_json())["conditions"][0]["lost"]:
                yield (
                    "shell",
                    f"gate, explain {lost.get('query_id', '')}",
                    lost["explain"],
                )
            calls = rm.reconcile(qrels, new, "AP", "0.5", changes=1)
            for line in str(calls).split("\n"):
                if line.strip().startswith("rankmark "):
                    yield "shell", "reconcile", line.strip()
            compared = rm.compare(qrels, {"old": old, name: new}, "AP", resamples=20)
            yield "LaTeX", "caption", compared.to_latex(caption=name)
            page = folder / "page.html"
            rm.write_report(
                compared, page, title=name or None, queries_text={"q": name}, docs_text={"a": name}
            )
            yield "report page", "write_report", page.read_text("utf-8")
        yield from _jobs(name, qrels, old, new, folder)


def _jobs(
    name: str, qrels: Path, old: Path, new: Path, folder: Path
) -> Iterator[tuple[str, str, str]]:
    """Give what .github/gate.py writes for a gate whose slice has this name."""
    if not name.strip():
        return
    config = folder / "gate.toml"
    text = name.encode("utf-8", "replace").decode()
    quoted = json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")
    config.write_text(
        'small_slices = "ignore"\n[[conditions]]\nmeasure = "AP"\nmax_drop = 0.1\n'
        f"slice = {quoted}\n"
        f'[slices]\n{quoted} = ["q", "r", "s"]\n',
        encoding="utf-8",
    )
    script = _script()
    files = {"GITHUB_STEP_SUMMARY": folder / "summary", "GITHUB_OUTPUT": folder / "output"}
    given = {"QRELS": qrels, "BASELINE": old, "RUN": new, "CONFIG": config}
    result = rm.gate(qrels, old, new, config=config)
    for path in files.values():
        path.unlink(missing_ok=True)
    changed = {key: str(value) for key, value in files.items()}
    before = dict(os.environ)
    os.environ.update(
        changed | {f"GATE_{key}": str(value) for key, value in given.items() if _plain(value)}
    )
    told = io.StringIO()
    try:
        with redirect_stdout(told):
            script._publish(json.loads(result.to_json()), result.to_markdown())
    finally:
        os.environ.clear()
        os.environ.update(before)
    yield "GitHub workflow", "annotations", told.getvalue()
    yield "Markdown", "job summary", files["GITHUB_STEP_SUMMARY"].read_text("utf-8")
    output = files["GITHUB_OUTPUT"].read_text("utf-8")
    if output.count("\n") != 1:
        raise WrongError(f"outputs {output!r}")


def _plain(value: object) -> bool:
    return "\0" not in str(value)


def _script() -> ModuleType:
    from importlib.util import module_from_spec, spec_from_file_location

    spec = spec_from_file_location("gate_of_job", ROOT / ".github" / "gate.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _of_file(name: str) -> str | None:
    """Make the name of a file; None if no file can have it."""
    name = name.replace("/", "_").replace("\0", "_")
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return None
    return name


def pictures(name: str, folder: Path) -> Iterator[tuple[str, str, str]]:
    """Give pictures of runs with this name."""
    qrels = {"q": {"a": 1}, "r": {"b": 1}}
    run = {"q": {"a": 1.0}, "r": {"x": 2.0, "b": 1.0}}
    with rm.quiet():
        compared = rm.compare(qrels, {"old": run, name: run}, "AP", resamples=20)
        for kind in ("leaderboard", "heatmap"):
            axes = compared.plot(kind)
            out = folder / "picture.svg"
            axes.figure.savefig(out)
            import matplotlib.pyplot as plt

            plt.close("all")
            yield "SVG", f"plot {kind}", out.read_text("utf-8")


def faults(form: str, hostile: str, harmless: str) -> str | None:
    """Say what is wrong with a text, compared with one of harmless names; None if nothing is."""
    reader = READERS[form]
    try:
        found, expected = reader(hostile), reader(harmless)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    if found != expected:
        more, less = found - expected, expected - found
        return f"structure differs: more {dict(more)}, less {dict(less)}"
    return None


def main() -> int:
    """Try each name by itself in each writer, and write the record."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--share", type=int, default=1, help="try every n-th name")
    chosen = parser.parse_args()
    cases: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        ways: list[Callable[[Sequence[str]], Iterator[tuple[str, str, str]]]] = [
            written,
            lambda names: in_files(names, Path(folder)),
            lambda names: pictures(names[0], Path(folder)),
        ]
        plain = {(form, where): text for make in ways for form, where, text in make(["harmless"])}
        for name in HOSTILE[:: chosen.share]:
            for make in ways:
                for form, where, text in make([name]):
                    cases[form] += 1
                    if said := faults(form, text, plain.get((form, where), text)):
                        wrong[form] += 1
                        print(f"{name!r} in {where}: {said}", flush=True)
    print(cases, wrong)
    write_record(
        "injection",
        promise="Ids, names, titles and paths stay text in every output format: they cannot start "
        "a command, open a tag, move the cursor or add a cell. There are two exceptions: plain CSV "
        "does not escape spreadsheet formulas (`--csv-safe` does), and GitHub turns @names into "
        "mentions.",
        method=f"{len(HOSTILE[:: chosen.share])} of {len(HOSTILE)} hostile texts are used as names "
        "of queries, documents, runs, slices, measures and files, and as titles. Every result is "
        "written in every format and parsed again, and must have the same structure as with a "
        "harmless name.",
        command="make injection" + (f" SHARE={chosen.share}" if chosen.share > 1 else ""),
        columns=["format", "texts written and read", "with a different structure"],
        rows=[[form, count, wrong[form]] for form, count in sorted(cases.items())],
        found=FOUND,
        not_covered=NOT_COVERED,
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
