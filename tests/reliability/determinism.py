"""The same bytes, whatever changes but the data; `make determinism` writes the record of it.

A process per variation runs every command that computes something, and functions on data in memory,
on a collection that is made anew; what they write is compared with the first process byte by byte.
"""

import argparse
import contextlib
import functools
import gzip
import hashlib
import json
import locale
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from click import Context
from click.testing import CliRunner

import rankmark as rm
from rankmark import _core
from rankmark.commands.app import app
from rankmark.data.files import file_source, open_text
from reliability.campaign_records import write_record

MEASURES = ["nDCG@10", "AP", "RR", "bpref", "P@5", "RBP(p=0.8)", "ERR@20", "num_ret"]
TABLES = ["table", "json", "jsonl", "csv", "markdown", "latex"]
QUERIES, DOCUMENTS = 60, 400
ADDED = {"PYTHONHASHSEED": "0", "NO_COLOR": "1", "COLUMNS": "100"}
DROPPED = ("LC_ALL", "LANG", "LANGUAGE", "TZ", "PYTHONUTF8", "LOCPATH")


def make_collection(folder: Path) -> None:
    """Write judgments and runs in several formats: ties, other scripts, interleaved queries."""
    dice = random.Random(27)
    words = ["plain", "naïve", "文書", "дело", "emoji-\U0001f50d"]
    names = [f"{words[n % 5]}-{n:05}" for n in range(4000)]
    qrels, runs = [], {"a": [], "b": []}  # type: tuple[list[str], dict[str, list[str]]]
    for q in range(QUERIES):
        judged = dice.sample(names, 60)
        qrels += [f"query-{q} 0 {doc} {dice.choice((0, 0, 1, 2, 3))}" for doc in judged]
        for rows in runs.values():
            held = dict.fromkeys([*dice.sample(judged, 40), *dice.sample(names, DOCUMENTS)])
            # Half of the scores are tied with others; some are written as other languages do.
            scores = sorted((dice.randrange(400) + dice.random() for _ in held), reverse=True)
            for rank, (doc, score) in enumerate(zip(held, scores, strict=True), 1):
                written = f"{score:.0f}" if rank % 2 else f"{score:.6e}"
                rows.append(f"query-{q} Q0 {doc} {rank} {written} made")
    (folder / "qrels").write_text("\n".join(qrels) + "\n", encoding="utf-8")
    for name, rows in runs.items():
        text = "\n".join(rows) + "\n"
        (folder / f"{name}.run").write_text(text, encoding="utf-8")
        (folder / f"{name}.run.gz").write_bytes(gzip.compress(text.encode(), mtime=0))
        shuffled = dice.sample(rows, len(rows))
        (folder / f"{name}-shuffled.run").write_text("\n".join(shuffled) + "\n", encoding="utf-8")
    slices = "".join(f"query-{q}\t{'odd' if q % 2 else 'even'}\n" for q in range(QUERIES))
    (folder / "slices").write_text(slices)


def commands(data: Path, *, with_plots: bool) -> Iterator[tuple[str, list[str], str]]:
    """Give a name, the words of a command, and the kind of what it writes."""
    qrels, a, b = (str(data / name) for name in ("qrels", "a.run", "b.run"))
    named = ["--name", f"{a}=a", "--name", f"{b}=b"]
    draws = ["--resamples", "200"]
    for form in TABLES:
        chosen = ["--format", form]
        per_query = ["evaluate", qrels, a, b, *named, "--per-query", *chosen]
        yield f"evaluate {form}", [*per_query, *measures()], form
        yield f"compare {form}", ["compare", qrels, a, b, *named, *draws, *chosen], form
        yield f"similarity {form}", ["similarity", a, b, "--per-query", *chosen], form
        yield f"power {form}", ["power", qrels, a, b, "--resamples", "100", *chosen], form
    for ties in ("mean", "best", "worst", "docid-asc", "rank", "input"):
        asked = ["evaluate", qrels, a, "--ties", ties, "--per-query", "--format", "json"]
        yield f"evaluate {ties}", [*asked, *measures()], "json"
    for name in ("a.run.gz", "a-shuffled.run"):
        asked = ["evaluate", qrels, str(data / name), "--per-query", "--format", "json"]
        yield f"evaluate {name}", [*asked, *measures()], "json"
    for form in ("table", "json", "csv", "junit", "markdown"):
        gate = ["gate", qrels, a, b, "-m", "nDCG@10", "--max-drop", "0.05", "--format", form]
        yield f"gate {form}", [*gate, "--by", str(data / "slices")], form
    for form in ("table", "json", "csv", "markdown", "html"):
        asked = ["--query", "query-7", "-m", "nDCG@10", "--format", form]
        yield f"explain {form}", ["explain", qrels, a, *asked], form
        yield f"explain against {form}", ["explain", qrels, a, "--against", b, *asked], form
    for form in ("text", "json", "csv"):
        shuffled = str(data / "b-shuffled.run")
        yield f"check {form}", ["check", qrels, a, shuffled, "--format", form], form
    value = ["--value", "0.1", "-m", "nDCG@10", "--changes", "1", "--format", "json"]
    yield "reconcile", ["reconcile", qrels, a, *value], "json"
    for form in ("trec", "csv", "tsv", "json", "jsonl"):
        yield f"convert {form}", ["convert", a, "OUT", "--to", form, "--as", "run"], form
    yield "report", ["report", qrels, a, b, *draws, "-o", "OUT.html"], "html"
    if with_plots:
        for kind in ("curve", "distribution", "heatmap"):
            yield f"plot {kind}", ["plot", kind, qrels, a, b, "-o", "OUT.svg"], "svg"


def measures() -> list[str]:
    return [word for name in MEASURES for word in ("-m", name)]


def outputs(data: Path, seed: int, options: list[str], *, with_plots: bool) -> dict[str, list[str]]:
    """Give the kind and the hash of all that is written, by the name of what wrote it."""
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as folder:
        for name, words, kind in commands(data, with_plots=with_plots):
            out = Path(folder, "out")
            named = [str(out) + word[3:] if word.startswith("OUT") else word for word in words]
            file = next((Path(word) for word in named if word.startswith(str(out))), None)
            taken = options_of(words[0])
            chosen = [one for one in options if one.partition("=")[0] in taken]
            done = CliRunner().invoke(app, [*named, *chosen])
            if done.exit_code not in {0, 3}:
                raise SystemExit(f"{name}: {done.output}{done.stderr}")
            written = done.stdout_bytes if file is None else file.read_bytes()
            assert len(written) > 50, f"{name} wrote nothing"
            found[name] = [kind, hashlib.sha256(written).hexdigest()]
            if file is not None:
                file.unlink()
    for name, value in in_memory(data, seed):
        assert len(value) > 50, f"{name} gave nothing"
        found[f"in memory: {name}"] = ["values", hashlib.sha256(value).hexdigest()]
    return found


def options_of(command: str) -> set[str]:
    """Give the options that a command takes."""
    found = app.get_command(Context(app), command)
    assert found is not None
    return {name for parameter in found.params for name in parameter.opts}


def in_memory(data: Path, seed: int) -> Iterator[tuple[str, bytes]]:
    """Give what functions return for dicts; a seed shuffles their documents, and runs' queries."""
    qrels = {query: dict(held) for query, held in rm.Qrels(data / "qrels").by_query().items()}
    runs: dict[str, dict[str, dict[str, float]]] = {}
    for name in "ab":
        held: dict[str, dict[str, float]] = {}
        for line in (data / f"{name}.run").read_text("utf-8").splitlines():
            query, _, doc, _, score, _ = line.split()
            held.setdefault(query, {})[doc] = float(score)
        runs[name] = held
    if seed:
        dice = random.Random(seed)
        qrels = {query: shuffled(held, dice) for query, held in qrels.items()}
        runs = {
            name: {query: shuffled(run[query], dice) for query in dice.sample([*run], len(run))}
            for name, run in runs.items()
        }
    for ties in ("docid", "docid-asc", "mean", "best"):
        ev = rm.evaluate(qrels, runs["a"], MEASURES, ties=ties)
        yield f"evaluate {ties}", ev.scores.tobytes() + ev.to_json().encode() + str(ev).encode()
    judged, ranked = rm.Qrels(qrels), rm.Run(runs["a"])
    prepared = rm.evaluate(judged, ranked, MEASURES)
    yield "prepared", prepared.to_json().encode()
    if not seed:  # documents with equal labels, and examples, are listed as the caller has them
        yield "explain", str(prepared.explain("query-3", "AP")).encode()
        yield "check", json.dumps(rm.check(qrels, *runs.values()).to_dict()).encode()
    yield "compare", rm.compare(qrels, runs, ["AP", "RR"], resamples=200).to_json().encode()
    compared = rm.compare_rankings(runs["a"], runs["b"], "RBO(p=0.9)")
    yield "rankings", json.dumps(sorted(compared.per_query("RBO(p=0.9)").items())).encode()


def shuffled(held: dict[str, float], dice: random.Random) -> dict[str, float]:
    return {doc: held[doc] for doc in dice.sample([*held], len(held))}


@dataclass(frozen=True)
class Variation:
    """What one process has otherwise than the first."""

    of: str
    value: str
    environment: dict[str, str] = field(default_factory=dict)
    child: list[str] = field(default_factory=list)
    folder: str | None = None

    def __str__(self) -> str:
        return f"{self.of}: {self.value}"


def variations(folder: Path) -> list[Variation]:
    """Give all variations that this machine can have; the first is the one to compare with."""
    found = [Variation("run", "first"), Variation("run", "again")]
    found += [Variation("threads", str(n), {}, ["--threads", str(n)]) for n in (1, 2, 5, 16)]
    blocks = (700, 4096, 65536, 1 << 24)
    found += [Variation("block size", f"{n} bytes", {}, ["--block", str(n)]) for n in blocks]
    for number, name in enumerate(_core.scanners()):
        found.append(Variation("scanner", name, {}, ["--scanner", str(number)]))
    found.append(Variation("memory", "1 MB", {}, ["--memory", "1MB"]))
    found += [
        Variation("PYTHONHASHSEED", seed, {"PYTHONHASHSEED": seed}) for seed in ("1", "2", "random")
    ]
    found += [Variation("locale", name, {"LC_ALL": name}) for name in ("C", "C.UTF-8")]
    for name in ("de_DE", "tr_TR", "hi_IN"):
        if made_locale(folder, name):
            changed = {"LC_ALL": f"{name}.UTF-8", "LOCPATH": str(folder)}
            found.append(Variation("locale", f"{name}.UTF-8", changed, ["--set-locale"]))
    zones = ("Pacific/Kiritimati", "America/St_Johns", "UTC")
    found += [Variation("time zone", zone, {"TZ": zone}) for zone in zones]
    found += [Variation("current directory", place, {}, [], place) for place in ("/", "/usr")]
    found += [
        Variation("order of the caller's dicts", f"shuffled by {n}", {}, ["--order", str(n)])
        for n in (1, 2, 3)
    ]
    blas = {"OPENBLAS_NUM_THREADS": "2", "OMP_NUM_THREADS": "2"}
    found.append(Variation("threads of BLAS", "2", blas))
    found.append(Variation("Python", "-O", {"PYTHONOPTIMIZE": "1"}))
    found.append(Variation("Python", "UTF-8 mode", {"PYTHONUTF8": "1"}))
    found.append(Variation("garbage collector", "off", {}, ["--no-collector"]))
    return found


def made_locale(folder: Path, name: str) -> bool:
    """Compile a locale for the C library, if the system has its source."""
    if shutil.which("localedef") is None:
        return False
    made = ["localedef", "-i", name, "-f", "UTF-8", str(folder / f"{name}.UTF-8")]
    return (
        subprocess.run(made, capture_output=True, check=False).returncode in {0, 1}
        and (folder / f"{name}.UTF-8").is_dir()
    )


def of_process(data: Path, variation: Variation, *, with_plots: bool) -> dict[str, list[str]]:
    """Give the outputs of a process of its own."""
    environment = {name: value for name, value in os.environ.items() if name not in DROPPED}
    words = [sys.executable, __file__, "--child", str(data), *variation.child]
    done = subprocess.run(
        words + (["--plots"] if with_plots else []),
        env=environment | ADDED | variation.environment,
        cwd=variation.folder or data,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode:
        raise SystemExit(f"{variation}: {done.stderr[-2000:]}")
    found: dict[str, list[str]] = json.loads(done.stdout)
    return found


def child(given: argparse.Namespace) -> None:
    """Run everything in this process, under the variation that the options name."""
    warnings.simplefilter("ignore")
    if given.set_locale:  # as programs do that embed Python; numbers then have commas
        locale.setlocale(locale.LC_ALL, "")
    if given.no_collector:
        import gc

        gc.disable()
    if given.scanner:
        made: Callable[..., Any] = functools.partial(_core.TextLayout, scanner=given.scanner)
        open_text.TextLayout = made  # type: ignore[assignment,attr-defined]
    if given.block:
        whole = file_source.FileSource.__init__

        def with_blocks(self: Any, *words: Any, **options: Any) -> None:
            whole(self, *words, **options | {"block_bytes": given.block})

        file_source.FileSource.__init__ = with_blocks  # type: ignore[method-assign]
    options = [f"--threads={given.threads}"] if given.threads else []
    options += [f"--memory={given.memory}"] if given.memory else []
    found = outputs(Path(given.child), given.order, options, with_plots=given.plots)
    print(json.dumps(found))


def main() -> None:
    """Run the campaign, or with ``--child`` one process of it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--child", help=argparse.SUPPRESS)
    for name in ("--threads", "--block", "--scanner", "--order"):
        parser.add_argument(name, type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    for name in ("--plots", "--set-locale", "--no-collector"):
        parser.add_argument(name, action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        child(given)
        return
    campaign()


def campaign() -> None:
    """Run every variation, print and record what differs."""
    started = time.perf_counter()
    with_plots = False
    with contextlib.suppress(ImportError):
        import matplotlib as mpl

        with_plots = mpl.__version__ != ""
    with tempfile.TemporaryDirectory(prefix="rankmark-") as name:
        data, locales = Path(name, "data"), Path(name, "locales")
        data.mkdir()
        locales.mkdir()
        make_collection(data)
        every = variations(locales)
        first = of_process(data, every[0], with_plots=with_plots)
        differ: dict[str, list[str]] = {}
        rows: dict[str, list[Any]] = {}
        for variation in every[1:]:
            found = of_process(data, variation, with_plots=with_plots)
            assert found.keys() <= first.keys()
            wrong = [each for each in found if found[each] != first[each]]
            differ |= {str(variation): wrong} if wrong else {}
            row = rows.setdefault(variation.of, [variation.of, [], 0, 0])
            row[1].append(variation.value)
            row[2] += len(found)
            row[3] += len(wrong)
            print(f"{variation}: {len(found)} outputs, {len(wrong)} differ {wrong}", flush=True)
    kinds = sorted({kind for kind, _ in first.values()})
    print(f"{len(every)} processes, {time.perf_counter() - started:.0f} s")
    write_record(
        "determinism",
        promise="The same data and the same options give the same bytes on every run.",
        method=f"{len(first)} commands and function calls run on a generated collection of "
        f"{QUERIES} queries, in a new process for each variation. "
        f"Their outputs ({', '.join(kinds)}) are compared byte by byte with those of a reference "
        "process.",
        command="make determinism",
        columns=["what varies", "values", "outputs compared", "outputs that differ"],
        rows=[[of, ", ".join(values), *counts] for of, values, *counts in rows.values()],
        not_covered=[
            "The order of documents with equal labels in an explanation, and the examples that "
            "`check` names, follow the order of the caller's dicts.",
            "Other processor architectures have a campaign of their own.",
            "The bytes of Parquet, PNG and PDF files depend on the versions of the libraries that "
            "write them.",
        ],
    )
    if differ:
        raise SystemExit(f"these differ: {differ}")


if __name__ == "__main__":
    main()
