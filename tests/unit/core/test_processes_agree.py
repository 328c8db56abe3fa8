"""Processes draw secrets of their own for their hash tables, and no result depends on them."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

SCRIPT = """
import random, tempfile, warnings
from itertools import cycle
from pathlib import Path
import rankmark as rm
from generators.forms import WITH_IDS, WITH_NUMBERS

warnings.simplefilter("ignore")
dice = random.Random(5)
names = [str(number) for number in range(40)]
run = {
    query: {doc: float(dice.randrange(9)) for doc in dice.sample(names, dice.randint(1, 40))}
    for query in names[:12]
}
qrels = {
    query: {doc: float(dice.randrange(2)) for doc in dice.sample(names, 15)} for query in names[2:]
}
MEASURES = ["nDCG@5", "AP", "RR", "bpref", "num_ret", "RBP(p=0.8)"]
FORMS = WITH_IDS | WITH_NUMBERS
for (name, make), ties in zip(sorted(FORMS.items()), cycle(["docid", "input", "mean"])):
    found = rm.evaluate(qrels, make(run), MEASURES, ties=ties)
    print(name, ties, found.queries, found.scores.tobytes().hex())
for name, make in sorted(FORMS.items()):
    found = rm.evaluate(make(qrels), run, MEASURES)
    print(name, found.queries, found.scores.tobytes().hex())
with tempfile.TemporaryDirectory() as folder:
    rows = [(q, d, s) for q, held in run.items() for d, s in held.items()]
    dice.shuffle(rows)
    path = Path(folder, "run")
    path.write_text("".join(f"{q} Q0 {d}-long-enough-to-be-hashed 0 {s} x\\n" for q, d, s in rows))
    print(rm.check(qrels, path).to_dict()["files"] is not None, rm.evaluate(qrels, path, "num_ret"))
    rm.convert(path, path.with_suffix(".json"))
    print(path.with_suffix(".json").read_text())
    print(rm.compare_rankings(path, run, "RBO(p=0.9)").scores.tobytes().hex())
"""


def test_results_do_not_depend_on_a_process_and_its_secrets() -> None:
    told = []
    for _ in range(2):
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT],
            capture_output=True,
            text=True,
            check=False,
            cwd=Path(__file__).parents[2],
        )
        assert done.returncode == 0, done.stderr
        told.append(done.stdout)
    assert told[0].count("\n") > 50
    assert told[0] == told[1]
