"""What results look like in Jupyter."""

from unit.notebooks import executed, kinds

DATA = """import rankmark as rm
qrels = {"q1": {"a": 1}, "q2": {"b": 1}}
run = {"q1": {"a": 2.0, "b": 1.0}, "q2": {"b": 0.5, "a": 1.0}}
ev = rm.evaluate(qrels, run)
"""


def test_a_first_plot_leaves_other_figures_shown() -> None:
    cells = [
        f"{DATA}ax = ev.plot('distribution', measures='nDCG@10')",
        "import matplotlib.pyplot as plt\nlines = plt.plot([1, 2])",
        "ax = ev.plot('curve')",
    ]
    shown = [kinds(cell) for cell in executed(cells).cells]
    assert [names.count("image/png") for names in shown] == [1, 1, 1]
