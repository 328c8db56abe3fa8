"""What ``import rankmark`` loads, and what it leaves alone."""

import subprocess
import sys

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
    subprocess.run([sys.executable, "-I", "-c", code], check=True, timeout=60)
