"""All commands with all that they write, for campaigns that do something to them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import rankmark
from rankmark.commands.app import COMMANDS

EXAMPLE = Path(rankmark.__file__).parent / "example"
TABLES = ("table", "json", "jsonl", "csv", "parquet", "markdown", "latex")
ROWS = ("trec", "msmarco", "csv", "tsv", "json", "jsonl", "parquet")
OTHERS = ("json", "csv", "parquet")


@dataclass(frozen=True, slots=True)
class Job:
    """A command, the files among its words that it reads, and those that it writes."""

    words: tuple[str, ...]
    reads: tuple[str, ...] = ()
    writes: tuple[str, ...] = ()
    codes: frozenset[int] = frozenset({0})

    @property
    def command(self) -> str:
        return self.words[0]

    def __str__(self) -> str:
        return " ".join(self.words)


def jobs() -> list[Job]:
    """Give every command in every format, to stdout and to a file."""
    found = [*_jobs()]
    assert {job.command for job in found} >= set(COMMANDS), "a command has no job"
    return found


def _jobs() -> Iterator[Job]:
    pair = ("qrels", "a.run")
    three = (*pair, "b.run")
    per_form: list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = [
        (("evaluate", *three, "--per-query"), three, TABLES),
        (("compare", *three, "--resamples", "200"), three, TABLES),
        (("explain", *pair, "--query", "q05"), pair, ("table", "markdown", "html", *OTHERS)),
        (("explain", *pair, "--against", "b.run"), three, ("table", "markdown", "html", *OTHERS)),
        (("reconcile", *pair, "--value", "0.5121", "--changes", "1"), pair, ("table", *OTHERS)),
        (("check", *three), three, ("text", *OTHERS)),
        (
            ("gate", *three, "-m", "nDCG@10", "--max-drop", "0.05"),
            three,
            ("table", "junit", "markdown", *OTHERS),
        ),
        (("verify", "made.record"), ("made.record",), ("table", *OTHERS)),
        (("similarity", "a.run", "b.run", "--per-query"), ("a.run", "b.run"), TABLES),
        (("power", *three, "--resamples", "100"), three, TABLES),
    ]
    for words, reads, forms in per_form:
        codes = frozenset({0, 3}) if words[0] == "gate" else frozenset({0})
        for form in forms:
            chosen = (*words, "--format", form)
            yield Job(chosen, reads, (), codes)
            yield Job((*chosen, "-o", "out"), reads, ("out",), codes)
    for words in (("evaluate", *three), ("compare", *three, "--resamples", "200")):
        yield Job((*words, "-o", "out", "--record", "record"), three, ("out", "record"))
    gate = ("gate", *three, "--config", "gate.toml", "--weights", "weights", "--by", "slices")
    several = {name: f"{name}.out" for name in ("json", "junit", "markdown", "record")}
    yield Job(
        (*gate, *(part for name, file in several.items() for part in (f"--{name}", file))),
        (*three, "gate.toml", "weights", "slices"),
        (*several.values(),),
        frozenset({0, 3}),
    )
    for form in ("svg", "png", "pdf"):
        yield Job(("plot", "curve", *three, "-o", f"out.{form}"), three, (f"out.{form}",))
    texts = ("--queries-text", "queries.tsv", "--docs-text", "corpus.tsv")
    yield Job(
        ("report", *three, *texts, "--resamples", "200", "-o", "out.html"),
        (*three, "queries.tsv", "corpus.tsv"),
        ("out.html",),
    )
    for form in ROWS:
        convert = ("convert", "large.run", f"out.{form}", "--to", form, "--as", "run")
        yield Job(convert, ("large.run",), (f"out.{form}",))
    for packing in ("gz", "bz2", "xz", "zst"):
        convert = ("convert", "large.run", f"out.trec.{packing}", "--as", "run")
        yield Job(convert, ("large.run",), (f"out.trec.{packing}",))
    yield Job(("convert", "large.run", "-", "--to", "csv", "--as", "run"), ("large.run",))
    for listing in ("measures", "profiles"):
        yield from (Job((listing, "--format", form)) for form in ("table", *OTHERS))
    yield Job(("trec_eval", "-q", *pair), pair, (), frozenset({0}))
    yield Job(("trec_eval", "-q", "-m", "all_trec", *pair), pair)
    yield Job(("demo",))
    yield from (Job(("completion", shell)) for shell in ("bash", "zsh", "fish"))
    yield Job(("--help",))
    yield Job(("--version",))


def prepare(folder: Path) -> None:
    """Write the files that the commands read, except those that commands make."""
    shutil.copy(EXAMPLE / "qrels.txt", folder / "qrels")
    for name, run in (("a.run", "bm25.run"), ("b.run", "lsa.run")):
        shutil.copy(EXAMPLE / run, folder / name)
    for name in ("queries.tsv", "corpus.tsv"):
        shutil.copy(EXAMPLE / name, folder)
    judged = dict.fromkeys(line.split()[0] for line in (folder / "qrels").read_text().splitlines())
    (folder / "weights").write_text("".join(f"{query}\t1.5\n" for query in judged))
    slices = "".join(f"{query}\t{'ab'[at % 2]}\n" for at, query in enumerate(judged))
    (folder / "slices").write_text(slices)
    (folder / "gate.toml").write_text(
        'small_slices = "ignore"\n\n[[conditions]]\nmeasure = "nDCG@10"\nmax_drop = 0.05\n'
    )
    (folder / "large.run").write_text(
        "".join(
            f"q{number // 50} Q0 document-{number * 7919:09} {number % 50 + 1} {-number} tag\n"
            for number in range(6000)
        )
    )
