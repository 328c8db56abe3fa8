"""What ``import rankmark`` loads, and what it leaves alone."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

HEAVY = {"scipy", "pandas", "polars", "pyarrow", "typer", "click", "rich", "matplotlib", "sklearn"}
HEAVY |= {"torch", "pytrec_eval", "ir_measures", "pydantic"}

USES = {
    "importing": "",
    "evaluating": "rm.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}})",
    "showing": "ev = rm.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}); str(ev), ev._repr_html_()",
    "writing JSON": "rm.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}}).to_json()",
    "making a scorer": "rm.scorer('nDCG@10')",
    "rewarding": "rm.reward({'q': {'d': 1}}, 'nDCG@10').batch(['q'], [['d']])",
    "scoring as scikit-learn does": "from rankmark.compat import sklearn as face\n"
    "face.ndcg_score([[0, 1]], [[0.1, 0.2]])",
    "finding a measure": "rm.measure('ndcg_cut_10')",
    "comparing rankings": "rm.similarity.rbo([1], [2]), rm.similarity.kendall_tau([1], [2])",
}


def loaded(code: str) -> set[str]:
    script = f"import sys, rankmark as rm\n{code}\nprint(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stderr == ""
    return {name.partition(".")[0] for name in done.stdout.split()}


@pytest.mark.parametrize("use", USES)
def test_no_heavy_library_is_loaded_by(use: str) -> None:
    assert loaded(USES[use]) & HEAVY == set()


def test_importing_does_not_even_load_numpy() -> None:
    assert "numpy" not in loaded("")
    assert "numpy" in loaded("rm.evaluate")


def test_no_function_needs_the_libraries_of_the_commands() -> None:
    every = "[getattr(rm, name) for name in rm.__all__]"
    assert loaded(every) & {"click", "rich"} == set()


def test_a_frame_loads_its_own_library_only() -> None:
    evaluated = "rm.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}})"
    assert "polars" not in loaded(f"{evaluated}.to_pandas()")
    assert loaded(f"{evaluated}.to_polars()") & {"pandas", "sklearn", "matplotlib"} == set()


def test_rank_similarity_is_loaded_when_it_is_used() -> None:
    script = "import sys, rankmark as rm\nassert 'rankmark.similarity' not in sys.modules\n"
    script += "rm.similarity.jaccard\nassert 'rankmark.similarity' in sys.modules\n"
    subprocess.run([sys.executable, "-I", "-c", script], check=True, timeout=60)


def after_evaluating(folder: Path, code: str) -> None:
    """Run code in the process of a command that has evaluated small files."""
    (folder / "qrels").write_text("1 0 a 1\n")
    (folder / "run").write_text("1 Q0 a 1 2.5 run\n")
    script = (
        "import os, sys\nfrom rankmark.commands import main\n"
        "sys.argv = ['rankmark', 'evaluate', 'qrels', 'run']\n"
        "leave, os._exit = os._exit, lambda code: None\n"
        f"main()\nours = [one for one in sys.modules if one.startswith('rankmark')]\n{code}"
    )
    subprocess.run(
        [sys.executable, "-I", "-c", script], check=True, timeout=60, cwd=folder, text=True
    )


def test_the_command_evaluate_loads_no_statistics(tmp_path: Path) -> None:
    code = (
        "assert not [one for one in ours if one.startswith('rankmark.statistics')]\n"
        "assert 'concurrent.futures' not in sys.modules"
    )
    after_evaluating(tmp_path, code)


def test_the_command_evaluate_loads_few_modules(tmp_path: Path) -> None:
    """Each takes a third of a millisecond; import what a small evaluation does not need later."""
    after_evaluating(tmp_path, "assert len(ours) <= 125, sorted(ours)")


def test_the_command_evaluate_compiles_no_annotations(tmp_path: Path) -> None:
    """As ``typing.NamedTuple`` does, in some Pythons; ``rankmark.named_tuples`` does not."""
    code = (
        "from typing import ForwardRef\n"
        "made = [one for name in ours for one in vars(sys.modules[name]).values()\n"
        "        if isinstance(one, type) and issubclass(one, tuple)]\n"
        "assert made\n"
        "slow = [one for one in made for kind in vars(one).get('__annotations__', {}).values()\n"
        "        if isinstance(kind, ForwardRef)]\n"
        "assert not slow, slow"
    )
    after_evaluating(tmp_path, code)


RUNS = "{q: {'d': 1} for q in 'abc'}, {r: {q: {'d': 1, 'e': r > q} for q in 'abc'} for r in 'ab'}"
WITHOUT = {
    "scipy": (
        f"str(rm.compare({RUNS}, ['AP']))",
        "a statistical test or interval needs SciPy",
        "statistics",
    ),
    "jinja2": (f"rm.write_report(rm.compare({RUNS}), 'page.html')", "needs Jinja2", "report"),
    "click": (
        "sys.argv = ['rankmark', 'demo']; from rankmark.commands import main; main()",
        "the command line needs click",
        "cli",
    ),
}


@pytest.mark.parametrize("library", WITHOUT)
def test_a_library_that_is_not_installed_is_named_with_its_extra(
    library: str, tmp_path: Path
) -> None:
    code, said, extra = WITHOUT[library]
    script = f"import sys, rankmark as rm\nsys.modules['{library}'] = None\n{code}"
    done = subprocess.run(
        [sys.executable, "-I", "-W", "ignore", "-c", script],
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
        cwd=tmp_path,
    )
    assert done.returncode == 1
    (last,) = done.stderr.splitlines()[-1:]
    assert said in last
    assert last.endswith(f"install it: pip install 'rankmark[{extra}]'")
    assert ("Traceback" in done.stderr) == (library != "click")
    assert not [*tmp_path.iterdir()]


def test_importing_leaves_the_process_as_it_was() -> None:
    code = (
        "import logging, os, signal, sys, threading, warnings\n"
        "state = lambda: (logging.root.handlers[:], dict(os.environ), threading.active_count(),\n"
        "                 list(warnings.filters), signal.getsignal(signal.SIGINT), sys.path[:])\n"
        "import numpy\n"
        "before = state()\n"
        "import rankmark as rm\n"
        "rm.evaluate({'q': {'d': 1}}, {'q': {'d': 1.0}})\n"
        "assert state() == before\n"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code], capture_output=True, check=True, timeout=60
    )
    assert (done.stdout, done.stderr) == (b"", b"")  # nothing is printed, either
