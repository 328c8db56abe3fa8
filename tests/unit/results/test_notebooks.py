"""What results look like in Jupyter."""

import re
from pathlib import Path
from typing import Any

import pytest

import rankmark as rm
from unit.results.notebooks import executed, kinds

DATA = """import rankmark as rm
qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 0.5, "a": 1.0}}
ev = rm.evaluate(qrels, run)
"""


PLOTS = [
    f"{DATA}ax = ev.plot('distribution', measures='nDCG@10')",
    "import matplotlib.pyplot as plt\nlines = plt.plot([1, 2])",
    "ax = ev.plot('curve')",
]
MISTAKES = ["rm.evaluate('no.qrels', run)", 'ev["AP@3"]', "rm.nDCG(gain='no')"]
COMPLETED = """from IPython.core.completer import provisionalcompleter
def completed(text):
    with provisionalcompleter():
        found = get_ipython().Completer.completions(text, len(text))
        return [one.text for one in found]
"""
KEYS = [
    f"{COMPLETED}print(completed('ev[\"'))",
    "compared = rm.compare(qrels, {'a': run, 'run b': run})\nprint(completed('compared[\"'))",
    "print(completed('rm.measures.nD'))",
]


@pytest.fixture(scope="module")
def session() -> Any:
    """Execute a notebook in which somebody plots, mistypes and completes."""
    return executed([*PLOTS, *MISTAKES, *KEYS])


@pytest.mark.slow
def test_a_first_plot_leaves_other_figures_shown(session: Any) -> None:
    shown = [kinds(cell) for cell in session.cells[:3]]
    assert [names.count("image/png") for names in shown] == [1, 1, 1]


VERBS = {
    "evaluate": "rm.evaluate(qrels, lsa)",
    "explain": "rm.explain(qrels, lsa, 'q01', 'nDCG@10')",
    "explain a difference": "rm.explain(qrels, lsa, 'q05', 'nDCG@10', against=bm25)",
    "explain means": "rm.explain(qrels, lsa, measure='nDCG@10', against=bm25)",
    "explain one ranking": "rm.nDCG.explain([1, 0, 2])",
    "compare": "compared",
    "leaderboard": "compared.leaderboard",
    "differences": "compared.differences",
    "slices": "rm.compare(qrels, runs, 'AP', by={'q01': 'one'}).slices",
    "compare_scores": "rm.compare_scores({'a': {'q': 0.5, 'r': 0.4}, 'b': {'q': 0.6, 'r': 0.4}})",
    "compare_rankings": "rm.compare_rankings(bm25, lsa)",
    "lists": "rm.evaluate(None, {'u': ['a']}, 'ItemCoverage', catalogue=['a', 'b'])",
    "evaluate_spans": "rm.evaluate_spans({'q': [('d', 0, 9)]}, {'q': [('d', 5, 12)]})",
    "evaluate_calls": "rm.evaluate_calls({'q': {'a': 1}}, {'q': [['x'], ['a']]}, 'RR')",
    "nuggets": "rm.nuggets({'q': [('n', 'vital', 'support')]})",
    "citations": "rm.citations({'q': [('s', 'p', 'full')]})",
    "compare_judgments": "rm.compare_judgments(qrels, qrels, runs={'a': bm25, 'b': lsa})",
    "check": "rm.check(qrels, lsa)",
    "check runs": "rm.check(qrels, bm25, lsa, overlap)",
    "gate": "rm.gate(qrels, bm25, lsa, {'nDCG@10': 0.05, 'AP': 0.02})",
    "gate candidates": "rm.gate(qrels, bm25, {'lsa': lsa, 'overlap': overlap}, {'AP': 0.02})",
    "gate_power": "rm.gate_power(qrels, bm25, lsa, {'nDCG@10': 0.05, 'AP': 0.02})",
    "power": "rm.power(qrels, bm25, lsa, ['nDCG@10', 'AP'])",
    "reconcile": "rm.reconcile(qrels, lsa, value={'nDCG@10': 0.5622})",
    "reconcile against": "rm.reconcile(qrels, lsa, against='trec_eval9', measure='nDCG@10')",
    "verify": "rm.verify('record.json')",
    "write_report": "rm.write_report(compared, 'report.html')",
    "profile": "rm.profile('ranx')",
    "profiles": "rm.profiles()",
    "measures": "rm.measures()",
    "measure": "rm.nDCG @ 10",
}
EXAMPLE = Path(rm.__file__).parent / "example"
BEGIN = f"""import subprocess, sys
import rankmark as rm
qrels, bm25, lsa, overlap = (
    f"{EXAMPLE.as_posix()}/{{name}}" for name in ("qrels.txt", "bm25.run", "lsa.run", "overlap.run")
)
runs = {{"bm25": bm25, "lsa": lsa, "overlap": overlap}}
compared = rm.compare(qrels, runs, ["nDCG@10", "AP", "RR@10"])
command = ["evaluate", qrels, lsa, "--record", "record.json", "-o", "scores.txt"]
done = subprocess.run([sys.executable, "-m", "rankmark", *command], check=True)
"""


@pytest.fixture(scope="module")
def notebook(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Execute a notebook with the result of every verb."""
    return executed([BEGIN, *VERBS.values()], str(tmp_path_factory.mktemp("notebook")))


@pytest.mark.slow
def test_every_result_is_a_table_in_a_notebook(notebook: Any) -> None:
    begin, *cells = notebook.cells
    assert kinds(begin) == []
    shown = dict(zip(VERBS, cells, strict=True))
    assert {verb for verb, cell in shown.items() if "error" in kinds(cell)} == set()
    html = {verb: cell.outputs[-1]["data"].get("text/html", "") for verb, cell in shown.items()}
    assert {verb for verb, page in html.items() if "<table>" not in page} == set()
    assert {verb for verb, page in html.items() if re.search("colo(u?)r|background", page)} == set()
    text = {verb: cell.outputs[-1]["data"]["text/plain"] for verb, cell in shown.items()}
    assert {verb for verb, line in text.items() if len(line) > 2500} == set()


@pytest.mark.slow
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_no_result_is_wider_than_a_notebook(notebook: Any, browser: Any, theme: str) -> None:
    exporter = pytest.importorskip("nbconvert").HTMLExporter(theme=theme)
    body, _ = exporter.from_notebook_node(notebook)
    page = browser.new_page(viewport={"width": 1000, "height": 800})
    page.route("**/*", lambda route: route.abort())
    page.set_content(body, wait_until="domcontentloaded")
    too_wide = """() => [...document.querySelectorAll(".jp-CodeCell")].map(
        (cell) => [...cell.querySelectorAll(".jp-OutputArea-output, .jp-OutputArea-output div")]
            .some((each) => each.scrollWidth > each.clientWidth + 1))"""
    begin, *found = page.evaluate(too_wide)
    page.close()
    assert begin is False
    assert len(found) == len(VERBS)
    assert [verb for verb, wide in zip(VERBS, found, strict=True) if wide] == []


@pytest.mark.slow
def test_tracebacks_end_at_the_line_of_the_notebook(session: Any) -> None:
    for cell in session.cells[3:6]:
        trace = "\n".join(cell.outputs[-1]["traceback"])
        assert trace.count("Cell") == 1
        assert "rankmark/" not in trace


@pytest.mark.slow
def test_keys_of_results_complete_in_a_notebook(session: Any) -> None:
    shown = [cell.outputs[-1]["text"] for cell in session.cells[6:]]
    assert "'nDCG@10'" in shown[0]
    assert "'run b'" in shown[1]
    assert "nDCG" in shown[2]


@pytest.mark.slow
def test_names_and_parameters_complete_in_editors() -> None:
    jedi = pytest.importorskip("jedi")

    def completed(code: str) -> list[str]:
        return [one.name for one in jedi.Script(f"import rankmark as rm\n{code}").complete()]

    assert "evaluate" in completed("rm.eval")
    assert "no_relevant=" in completed("rm.evaluate(qrels, run, no_")
    assert "per_query" in completed("rm.evaluate(qrels, run).per")
