"""Draw pictures of the second half of the course: ``python docs/learn/draw_more_pictures.py``.

They are about ties, unjudged documents, queries, average precision, chance and users. The values in
the pictures are computed by rankmark.
"""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path

from shapes import arrow, box, circle, documents, path, save, text

import rankmark as rm
from rankmark.measures import AP, IPrec, P, R

QUERY = "q1"
WIDTH = 480  # of all pictures, so that they can be read on a narrow screen
LEFT, STEP, RIGHT = 20, 56, 460  # where a row begins; from one document to the next; where it ends
RELEVANT = {"p2": 1, "p4": 1, "p5": 1, "p7": 1}
Labels = Mapping[str, float]


def row(words: str, value: str, order: Sequence[str], y: float, labels: Labels) -> list[str]:
    """Draw a ranking, with words and a value above it; it is 38 high, below y."""
    return [
        text(LEFT, y, words),
        text(RIGHT, y, value, "strong end"),
        *documents(order, LEFT, y + 8, labels, STEP - 8),
    ]


def draw_ties() -> None:
    """Show two ties, and what each rule makes of them."""
    pictures = [f"p{number}" for number in range(1, 9)]
    scores = dict(zip(pictures, (0.9, 0.9, 0.8, 0.8, 0.7, 0.6, 0.5, 0.1), strict=True))
    labels = dict.fromkeys(pictures, 0) | RELEVANT
    parts = [text(LEFT, 26, "scores")]
    parts += [
        text(LEFT + 24 + STEP * place, 50, str(score), "middle")
        for place, score in enumerate(scores.values())
    ]
    for first in (0, 2):
        start = LEFT + STEP * first
        parts.append(path([(start, 56), (start, 62), (start + 104, 62), (start + 104, 56)], "tie"))
        parts.append(text(start + 52, 78, "tied", "small middle"))
    rows = {
        "input": pictures,
        "docid": sorted(pictures, key=lambda p: (scores[p], p), reverse=True),
    }
    for number, (rule, order) in enumerate(rows.items()):
        found = rm.evaluate({QUERY: RELEVANT}, {QUERY: scores}, "RR", ties=rule)["RR"]
        parts += row(f'ties="{rule}"', f"RR {found:g}", order, 108 + 66 * number, labels)
    found = rm.evaluate({QUERY: RELEVANT}, {QUERY: scores}, "RR", ties="mean")["RR"]
    parts += [
        text(LEFT, 240, 'ties="mean"'),
        text(RIGHT, 240, f"RR {found:g}", "strong end"),
        text(LEFT, 260, "the mean over all four orders of the tied pictures"),
        text(LEFT, 288, "green, with a thick border: relevant", "small"),
    ]
    save("ties.svg", "Eight pictures with two ties, ordered by three rules", WIDTH, 306, parts)


def draw_unjudged() -> None:
    """Show a ranking with unjudged documents, and what is left if they are removed."""
    labels = {f"p{number}": 0 for number in range(1, 9)} | RELEVANT
    ranking = ["n1", "p2", "n2", "p4", "p5", "n3", "p7", "p1"]
    condensed = [one for one in ranking if one in labels]
    parts: list[str] = []
    for number, (name, order) in enumerate({"whole": ranking, "condensed": condensed}.items()):
        found = rm.evaluate({QUERY: labels}, {QUERY: order}, "AP")["AP"]
        parts += row(name, f"AP {found:.2f}", order, 28 + 66 * number, labels)
    low, high = rm.evaluate({QUERY: labels}, {QUERY: ranking}, "AP").bounds["AP"]
    parts += [
        text(LEFT, 162, "bounds"),
        text(RIGHT, 162, f"AP {low:.2f} to {high:.2f}", "strong end"),
        text(LEFT, 182, "of the whole ranking, if n1, n2 and n3 were judged"),
        text(LEFT, 210, "thick border: relevant; thin: not relevant; dashed: unjudged", "small"),
    ]
    title = "A ranking with three unjudged pictures, whole and condensed"
    save("unjudged.svg", title, WIDTH, 228, parts)


def draw_who_is_averaged() -> None:
    """Show judged and answered queries as overlapping sets, and the mean over each choice."""
    ranking = [f"p{number}" for number in range(1, 9)]
    qrels = {
        "q1": RELEVANT,
        "q2": {"p1": 1, "p4": 1, "p5": 1, "p7": 1},
        "q3": {"p5": 1, "p8": 1},
        "q4": {"p3": 0},
        "q5": {"p9": 1},
    }
    run = dict.fromkeys(("q1", "q2", "q3", "q4", "q6"), ranking)
    parts = [
        box(10, 50, 378, 142, "set"),
        box(90, 34, 380, 142, "set"),
        text(20, 72, "judged", "strong"),
        text(460, 47, "answered", "strong end"),
    ]
    places = {"q5": (21, ("missing",)), "q1": (99, ()), "q2": (172, ()), "q3": (245, ())}
    places |= {"q4": (318, ("without", "relevant")), "q6": (401, ("run-only",))}
    found = rm.evaluate(qrels, run, "RR").per_query("RR")
    for query, (x, names) in places.items():
        kind = {"q4": "box", "q6": "unknown"}.get(query, "relevant")
        value = f"RR {found[query]:g}" if query in found else "no score"
        parts += [
            box(x, 84, 58, 30, kind),
            text(x + 29, 104, query, "middle"),
            *(
                text(x + 29, 132 + 17 * line, words, "small middle")
                for line, words in enumerate((value, *names))
            ),
        ]
    choices = {
        "all judged queries": {},
        "judged and answered": {"queries": "both"},
        "judged, answered, with relevant documents": {"queries": "both", "no_relevant": "skip"},
    }
    for number, (words, conventions) in enumerate(choices.items()):
        y = 222 + 24 * number
        mean = rm.evaluate(qrels, run, "RR", **conventions)["RR"]
        parts += [text(LEFT, y, f"mean over {words}"), text(RIGHT, y, f"{mean:.3f}", "strong end")]
    title = "Judged and answered queries as overlapping sets, with three means"
    save("who-is-averaged.svg", title, WIDTH, 290, parts)


def draw_average_precision() -> None:
    """Show three areas below the points of precision and recall of one list."""
    labels = [0, 1, 0, 1, 1, 0, 1, 0]
    ranks = range(1, len(labels) + 1)
    points = [((R @ k)(labels), (P @ k)(labels)) for k in ranks]
    levels = [level / 10 for level in range(11)]
    interpolated = [(level, IPrec(recall=level)(labels)) for level in levels]
    steps: list[tuple[float, float]] = [(0.0, 0.0)]
    for (before, _), (after, precision) in zip([(0.0, 0.0), *points], points, strict=False):
        if after > before:
            steps += [(before, precision), (after, precision)]
    joined = [(0.0, 0.0), (0.0, 1.0), *points]
    area = sum((x2 - x1) * (y1 + y2) / 2 for (x1, y1), (x2, y2) in pairwise([(0.0, 1.0), *points]))
    size, top, parts = 110, 82, []
    for number, (title, value) in enumerate(
        {"AP": AP(labels), "trapezoids": area, "eleven points": IPrec(labels)}.items()
    ):
        left = 42 + number * 152

        def at(point: tuple[float, float], left: int = left) -> tuple[float, float]:
            return left + size * point[0], top + size * (1 - point[1])

        parts += [
            text(left, 26, title),
            text(left, 46, f"{value:.4f}", "strong"),
            path([(left, top), (left, top + size), (left + size, top + size)], "axis"),
            text(left + size / 2, top + size + 34, "recall", "small middle"),
        ]
        for mark in (0, 0.5, 1):
            x, y = at((mark, mark))
            parts.append(text(x, top + size + 16, f"{mark:g}", "small middle"))
            parts.append(text(left - 6, y + 4, f"{mark:g}", "small end"))
        if title == "eleven points":
            for level, precision in interpolated:
                parts.append(path([at((level, 0)), at((level, precision))], "line"))
                x, y = at((level, precision))
                parts.append(circle(x, y, 3, "mark"))
            continue
        shape = steps if title == "AP" else joined
        parts.append(path([at(point) for point in [*shape, (1, 0), (0, 0)]], "area"))
        for point in points:
            x, y = at(point)
            parts.append(circle(x, y, 3, "mark"))
    parts.append(text(14, 70, "precision", "small"))
    title = "Precision against recall of one list: AP as steps, as trapezoids, and at eleven points"
    save("average-precision.svg", title, WIDTH, 242, parts)


def draw_interleaving() -> None:
    """Show two rankings, a team draft of them, and whose documents were clicked."""
    a = ["p1", "p2", "p3", "p4", "p5", "p6", "p7", "p8"]
    b = ["p2", "p1", "p4", "p5", "p3", "p7", "p8", "p6"]
    team: dict[str, str] = {}
    for captains in ("BA", "AB", "BA", "AB"):
        for name in captains:
            ranking = a if name == "A" else b
            team[next(one for one in ranking if one not in team)] = name
    clicked = ("p2", "p5", "p7")
    parts: list[str] = []
    for y, words, order in ((36, "ranking A", a), (100, "ranking B", b), (164, "shown", [*team])):
        parts.append(text(LEFT, y - 10, words))
        for place, one in enumerate(order):
            x = LEFT + STEP * place
            kind = "box" if (team[one] if words == "shown" else words[-1]) == "A" else "other"
            parts += [box(x, y, 48, 30, kind), text(x + 24, y + 20, one, "middle")]
            if words == "shown":
                parts.append(text(x + 24, y + 50, f"from {team[one]}", "small middle"))
                if one in clicked:
                    parts.append(box(x - 3, y - 3, 54, 36, "clicked"))
    credit = ", ".join(f"{name} {sum(team[o] == name for o in clicked)}" for name in "AB")
    parts += [
        text(LEFT, 244, "clicked: " + ", ".join(clicked) + " (thick frame)"),
        text(RIGHT, 244, f"credit: {credit}", "strong end"),
    ]
    title = (
        "Two rankings, the list that team draft interleaving shows, and the credit for three clicks"
    )
    save("interleaving.svg", title, WIDTH, 262, parts)


def draw_significance() -> None:
    """Show the difference of each query between two example runs, and the mean difference."""
    example = Path(rm.__file__).parent / "example"
    runs = [example / "bm25.run", example / "lsa.run"]
    compared = rm.compare(example / "qrels.txt", runs, "nDCG@10", baseline="bm25")
    (found,) = compared.differences
    before, after = compared.scores[:, 0, 0], compared.scores[:, 1, 0]
    differences = sorted((after - before).tolist(), reverse=True)
    left, middle, height, step = 52, 150, 170, 13

    def down(difference: float) -> float:
        return middle - height * difference

    right = left + step * len(differences)
    parts = [text(14, 26, "nDCG@10 of lsa minus that of bm25, for each query")]
    for mark in (-0.5, 0, 0.5):
        parts.append(path([(left - 6, down(mark)), (right + 100, down(mark))], "faint"))
        parts.append(text(left - 12, down(mark) + 4, f"{mark:+g}" if mark else "0", "small end"))
    for place, difference in enumerate(differences):
        if not difference:
            continue
        top, kind = min(middle, down(difference)), "box" if difference > 0 else "other"
        size = max(1.5, height * abs(difference))
        parts.append(
            f'<rect class="{kind}" x="{left + step * place:.1f}" y="{top:.1f}" width="9" '
            f'height="{size:.1f}"/>'
        )
    centre = right + 40
    parts += [
        path([(centre, down(found.low)), (centre, down(found.high))], "interval"),
        circle(centre, down(found.difference), 5, "mark"),
        text(centre + 10, down(found.high) + 4, f"{found.high:+.2f}", "small"),
        text(centre + 10, down(found.difference) + 4, f"{found.difference:+.2f}", "strong"),
        text(centre + 10, down(found.low) + 4, f"{found.low:+.2f}", "small"),
        text(14, 268, f"{len(differences)} queries, by their difference", "small"),
        text(right + 104, 268, "mean and 95% interval", "small end"),
    ]
    title = "Differences between two runs on 24 queries, with their mean and its interval"
    save("significance.svg", title, WIDTH, 284, parts)


def draw_which_measure() -> None:
    """Draw the decision path: questions on the left, measures on the right."""
    steps = [
        (
            ("Is one relevant", "document enough?"),
            "yes",
            [("RR@k", ("its rank", "matters")), ("Success@k", ("it must be", "among k"))],
        ),
        (("Must nothing", "be missed?"), "yes", [("R@1000, AP, Rprec", ("in a long list",))]),
        (
            ("Does the order", "among the first k", "matter?"),
            "no",
            [
                ("R@k", ("how much", "is found")),
                ("P@k", ("how much found", "is relevant")),
            ],
        ),
        (("Do the labels", "have grades?"), "yes", [("nDCG@k", ("with a gain for each label",))]),
    ]
    left, width, height, step = 12, 152, 68, 104
    start, space = left + width + 52, WIDTH - 2 * left - width - 52
    parts: list[str] = []

    def answer_box(x: float, y: float, size: float, measure: str, lines: Sequence[str]) -> None:
        parts.append(box(x, y, size, height, "relevant"))
        parts.append(text(x + size / 2, y + 23, measure, "strong middle"))
        for line, words in enumerate(lines):
            parts.append(text(x + size / 2, y + 42 + 16 * line, words, "small middle"))

    for number, (lines, answer, measures) in enumerate(steps):
        y = 20 + step * number
        middle = y + height / 2
        parts.append(box(left, y, width, height))
        first = middle + 5 - 9 * (len(lines) - 1)
        parts += [
            text(left + width / 2, first + 18 * line, words, "middle")
            for line, words in enumerate(lines)
        ]
        parts.append(arrow(left + width, middle, start - 4, middle))
        parts.append(text(left + width + 22, middle - 6, answer, "small middle"))
        size = (space - 8 * (len(measures) - 1)) / len(measures)
        for place, (measure, words) in enumerate(measures):
            answer_box(start + place * (size + 8), y, size, measure, words)
        other = "yes" if answer == "no" else "no"
        parts.append(arrow(left + width / 2, y + height, left + width / 2, y + step - 2))
        parts.append(text(left + width / 2 + 10, y + height + 22, other, "small"))
    y = 20 + step * len(steps)
    answer_box(left, y, width, "AP@k, nDCG@k", ("only relevant or not",))
    title = "Four questions about what a user needs, and the measure for each answer"
    save("which-measure.svg", title, WIDTH, y + height + 20, parts)


def main() -> None:
    """Draw all pictures."""
    draw_ties()
    draw_unjudged()
    draw_who_is_averaged()
    draw_average_precision()
    draw_interleaving()
    draw_significance()
    draw_which_measure()


if __name__ == "__main__":
    main()
