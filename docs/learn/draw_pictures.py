"""Draw the pictures of the course on measures: ``python docs/learn/draw_pictures.py``.

The values in the pictures are computed by rankmark.
"""

from collections.abc import Mapping

from shapes import Points, box, chart, circle, documents, path, save, shape, text

import rankmark as rm

IDS = [f"p{number}" for number in range(1, 9)]
QUERIES = {"q1": "cat in a box", "q2": "cardboard box", "q3": "two cats"}
RELEVANT = {
    "q1": {"p2", "p4", "p5", "p7"},
    "q2": {"p1", "p4", "p5", "p7"},
    "q3": {"p5", "p8"},
}
VOTES = dict(zip(IDS, (0, 7, 2, 4, 6, 1, 4, 3), strict=True))
THREE = {
    "A": ["p8", "p2", "p5", "p3", "p6", "p1", "p4", "p7"],
    "B": ["p8", "p7", "p4", "p5", "p2", "p3", "p6", "p1"],
    "C": ["p4", "p3", "p1", "p6", "p8", "p7", "p2", "p5"],
}
WIDTH = 480  # of all pictures, so that they can be read on a narrow screen
FIRST, STEP = 20, 56  # left end of the first document of a row; from one document to the next


def labels(query: str, order: list[str] = IDS) -> list[int]:
    """Give 1 for each relevant picture in the order given, 0 for each other."""
    return [int(one in RELEVANT[query]) for one in order]


def judged(query: str) -> dict[str, float]:
    """Give the label of each picture for a query."""
    return dict(zip(IDS, labels(query), strict=True))


def centre(rank: int) -> float:
    """Give the middle of the document at a rank, from left to right."""
    return FIRST + STEP * (rank - 1) + 24


def row(words: str, order: list[str], y: float, relevant: Mapping[str, float]) -> list[str]:
    """Draw a ranking with words above it; it is 38 high, below y."""
    return [text(FIRST, y, words), *documents(order, FIRST, y + 8, relevant, 48)]


def head(x: float, y: float, kind: str = "cat") -> list[str]:
    """Draw the head of a cat, or of a dog, whose ears hang down."""
    if kind == "cat":
        ears: list[Points] = [
            [(x - 9, y - 2), (x - 8, y - 14), (x - 1, y - 7)],
            [(x + 9, y - 2), (x + 8, y - 14), (x + 1, y - 7)],
        ]
    else:
        ears = [
            [(x - 6, y - 8), (x - 14, y - 4), (x - 12, y + 8), (x - 7, y)],
            [(x + 6, y - 8), (x + 14, y - 4), (x + 12, y + 8), (x + 7, y)],
        ]
    return [
        *(shape(ear, kind) for ear in ears),
        circle(x, y, 9, kind),
        circle(x - 3.5, y - 1, 1.8, "eye"),
        circle(x + 3.5, y - 1, 1.8, "eye"),
    ]


def container(x: float, y: float, kind: str) -> list[str]:
    """Draw a box of cardboard with its flaps open, a wooden box, or a basket."""
    if kind == "cardboard":
        return [
            shape([(x - 18, y), (x - 25, y + 8), (x - 23, y + 9), (x - 18, y + 4)], kind),
            shape([(x + 18, y), (x + 25, y + 8), (x + 23, y + 9), (x + 18, y + 4)], kind),
            box(x - 18, y, 36, 22, kind, 1),
        ]
    if kind == "wood":
        return [box(x - 19, y + 7.5 * plank, 38, 7.5, kind, 1) for plank in range(3)]
    return [shape([(x - 22, y), (x + 22, y), (x + 16, y + 22), (x - 16, y + 22)], kind)]


def picture(number: int, x: float, y: float) -> list[str]:
    """Draw one of the eight pictures, 52 wide and 60 high, by its number."""
    middle, rim = x + 26, y + 32
    inside = {
        1: container(middle, rim, "cardboard"),
        2: [*head(middle, rim - 3), *container(middle, rim, "wood")],
        3: [
            *container(middle, rim, "wood"),
            shape([(middle - 7, rim - 14), (middle + 7, rim - 14), (middle + 11, rim),
                   (middle - 11, rim)], "cat"),
            *head(middle, rim - 16),
        ],
        4: [
            *container(middle, rim, "cardboard"),
            shape([(middle - 22, rim + 18), (middle - 10, rim + 18), (middle - 6, rim - 2),
                   (middle - 14, rim - 6)], "cat"),
            *head(middle - 7, rim - 7),
        ],
        5: [
            *head(middle - 10, rim - 4),
            *head(middle + 10, rim - 4),
            *container(middle, rim, "cardboard"),
        ],
        6: [*head(middle, rim - 8, "dog"), *container(middle, rim, "wood")],
        7: [
            shape([(middle - 6, rim + 6), (middle + 6, rim + 6), (middle + 14, rim - 14),
                   (middle + 4, rim - 16)], "cat"),
            *container(middle, rim, "cardboard"),
            *head(middle + 12, rim - 17),
        ],
        8: [
            *head(middle - 10, rim - 4),
            *head(middle + 10, rim - 4),
            *container(middle, rim, "basket"),
        ],
    }[number]  # fmt: skip
    return [box(x, y, 52, 60, "card"), *inside]


def draw_collection() -> None:
    """Show the eight pictures, and which of them are relevant to each query."""
    parts = []
    for rank in range(1, 9):
        parts.append(text(centre(rank), 30, str(rank), "middle"))
        parts += picture(rank, centre(rank) - 26, 40)
    for place, (query, words) in enumerate(QUERIES.items()):
        parts += row(f"{query}: {words}", IDS, 130 + 64 * place, judged(query))
    parts.append(text(FIRST, 320, "above: the ranks of the ranking", "small"))
    parts.append(text(FIRST, 338, "green, with a thick border: relevant to the query", "small"))
    save(
        "collection.svg", "Eight pictures and the relevant ones of three queries", WIDTH, 354, parts
    )


def draw_orders() -> None:
    """Show two orders of the same pictures, which only measures of order tell apart."""
    orders = {"first": IDS, "second": ["p2", "p4", "p1", "p3", "p5", "p6", "p7", "p8"]}
    parts = []
    for place, (name, order) in enumerate(orders.items()):
        parts += row(f"{name} order", order, 34 + 64 * place, judged("q1"))
    cut = centre(4) + 28
    parts += [path([(cut, 34), (cut, 146)], "tie"), text(cut, 164, "cutoff 4", "small middle")]
    measures = ["P@4", "R@4", "Success@4", "RR", "AP", "nDCG@4"]
    columns = (FIRST, FIRST + 130, FIRST + 240)
    words = ("measure", "first order", "second order")
    parts += [text(x, 194, word, "small") for x, word in zip(columns, words, strict=True)]
    for place, one in enumerate(map(rm.measure, measures)):
        found = [one(labels("q1", order)) for order in orders.values()]
        kind = "strong" if found[0] != found[1] else ""
        shown = (str(one), *(f"{value:.3f}" for value in found))
        y = 218 + 23 * place
        parts += [text(x, y, word, kind) for x, word in zip(columns, shown, strict=True)]
    parts.append(text(FIRST, 360, "bold: the two orders have different values", "small"))
    save("order.svg", "Two orders of the same pictures, and six measures", WIDTH, 376, parts)


def draw_single_document() -> None:
    """Show the value of a ranking with one relevant document, by its rank."""
    rankings = [[int(rank == place) for rank in range(1, 9)] for place in range(1, 9)]
    curves = {
        name: (kind, [measure(ranking) for ranking in rankings])
        for name, kind, measure in (
            ("R@4", "gold dotted", rm.R @ 4),
            ("AUC", "blue", rm.measure("AUC")),
            ("nDCG", "green", rm.nDCG),
            ("RR, AP", "red dashed", rm.RR),
        )
    }
    parts = chart((46, 30, 350, 200), curves, "rank of the only relevant document, of eight")
    save("single-document.svg", "Four measures by the rank of one document", WIDTH, 284, parts)


def draw_cut() -> None:
    """Show the four kinds of documents at a cutoff, for precision and recall."""
    counts = (rm.P @ 2).explain(ranking=IDS, relevant=RELEVANT["q1"], collection=8).counts
    tp, fp, fn, tn = (counts[one] for one in ("tp", "fp", "fn", "tn"))
    parts = row("q1: cat in a box", IDS, 34, judged("q1"))
    cut = centre(2) + 28
    parts += [path([(cut, 40), (cut, 84)], "tie"), text(cut, 98, "cutoff 2", "small middle")]
    left, upper, width, height = 130, 140, 130, 44
    for column, words in enumerate(("in the first 2", "below")):
        parts.append(text(left + (column + 0.5) * width, upper - 10, words, "middle"))
    cells = (("relevant", f"TP {tp}", f"FN {fn}"), ("not relevant", f"FP {fp}", f"TN {tn}"))
    for place, (name, *numbers) in enumerate(cells):
        y = upper + place * height
        parts.append(text(left - 12, y + 27, name, "end"))
        for column, words in enumerate(numbers):
            kind = "relevant" if place == 0 else "box"
            parts += [
                box(left + column * width + 3, y + 3, width - 6, height - 6, kind),
                text(left + (column + 0.5) * width, y + 27, words, "middle"),
            ]
    ranking = labels("q1")
    parts += [
        text(FIRST, 262, f"P@2 = TP / (TP + FP) = {tp}/{tp + fp} = {(rm.P @ 2)(ranking):g}"),
        text(FIRST, 286, f"R@2 = TP / (TP + FN) = {tp}/{tp + fn} = {(rm.R @ 2)(ranking):g}"),
    ]
    save("precision-and-recall.svg", "Hits and misses at cutoff 2", WIDTH, 306, parts)


def draw_cutoffs() -> None:
    """Show precision, recall and F of one ranking at each cutoff."""
    curves = {
        name: (kind, [(measure @ k)(labels("q1")) for k in range(1, 9)])
        for name, kind, measure in (
            ("recall", "green", rm.R),
            ("precision", "blue dashed", rm.P),
            ("F", "red dotted", rm.F),
        )
    }
    parts = [text(FIRST, 30, "q1: cat in a box"), *chart((46, 50, 340, 200), curves, "cutoff k")]
    save("cutoffs.svg", "Precision, recall and F by cutoff", WIDTH, 304, parts)


def draw_reciprocal_rank() -> None:
    """Show the first relevant picture of each query, and one over its rank."""
    parts = [text(WIDTH - FIRST, 36, "1 / rank", "end")]
    for rank in range(1, 9):
        value = rm.RR([int(rank == place) for place in range(1, 9)])
        parts += [
            box(centre(rank) - 14, 100 - 76 * value, 28, 76 * value, "bar", 2),
            text(centre(rank), 117, f"{value:.3g}", "small middle"),
        ]
    for place, query in enumerate(QUERIES):
        ranking = labels(query)
        first = ranking.index(1) + 1
        words = f"{query}: {QUERIES[query]}, RR = 1/{first} = {rm.RR(ranking):g}"
        only_first = {**dict.fromkeys(IDS, 0), IDS[first - 1]: 1}
        parts += row(words, IDS, 146 + 64 * place, only_first)
    parts.append(text(FIRST, 338, "green: the first relevant picture", "small"))
    save("reciprocal-rank.svg", "The first relevant picture of three queries", WIDTH, 354, parts)


def draw_average_precision() -> None:
    """Show precision at each rank, of which average precision takes those of relevant pictures."""
    ranking = labels("q1")
    base, tall = 150, 150
    parts = [text(FIRST, 32, "precision at each rank")]
    found = 0
    for rank, hit in enumerate(ranking, 1):
        found += hit
        value = (rm.P @ rank)(ranking)
        x, y = centre(rank), base - tall * value
        parts += [
            box(x - 18, y, 36, tall * value, "bar" if hit else "outline", 2),
            text(x, y - 7, f"{found}/{rank}", "strong middle" if hit else "small middle"),
        ]
    told = rm.AP.explain(ranking).formula
    parts += [
        path([(FIRST, base), (FIRST + 8 * STEP - 8, base)]),
        *row("q1: cat in a box", IDS, base + 24, judged("q1")),
        text(FIRST, base + 90, told.replace("2.17143 / 4 = ", "")),
        text(
            FIRST,
            base + 112,
            "pale: ranks of pictures that are not relevant, which AP leaves out",
            "small",
        ),
    ]
    save("ap.svg", "Precision at each rank, and average precision", WIDTH, 278, parts)


def draw_ndcg() -> None:
    """Show gains and discounted gains of a ranking and of the ideal ranking."""
    rankings = {
        "ranking": IDS,
        "ideal ranking": sorted(IDS, key=VOTES.__getitem__, reverse=True),
    }
    parts = []
    totals = []
    for place, (name, order) in enumerate(rankings.items()):
        base = 170 + 190 * place
        gains = [VOTES[one] for one in order]
        total = rm.DCG(gains)
        totals.append(total)
        parts.append(text(FIRST, base - 136, f"{name}: DCG = {total:.2f}"))
        for rank, (one, gain) in enumerate(zip(order, gains, strict=True), 1):
            x = centre(rank)
            value = rm.DCG([0] * (rank - 1) + [gain])
            parts += [
                box(x - 18, base - 15 * gain, 36, 15 * gain, "outline", 2),
                box(x - 18, base - 15 * value, 36, 15 * value, "bar", 2),
                text(x, base - 15 * gain - 6, str(gain), "middle"),
                text(x, base + 18, one, "middle"),
            ]
        parts.append(path([(FIRST, base), (FIRST + 8 * STEP - 8, base)]))
    first, ideal = totals
    value = rm.nDCG([VOTES[one] for one in IDS])
    parts += [
        text(FIRST, 410, f"nDCG = {first:.2f} / {ideal:.2f} = {value:.4f}", "strong"),
        text(FIRST, 432, "pale: the gain of a picture; green: what is left at its rank", "small"),
    ]
    save("ndcg.svg", "Gains of a ranking and of the ideal ranking", WIDTH, 448, parts)


def draw_ndcg_cutoffs() -> None:
    """Show that nDCG may fall as the cutoff grows."""
    gains = [VOTES[one] for one in IDS]
    values = [(rm.nDCG @ k)(gains) for k in range(1, 9)]
    left, upper, width, height = 46, 30, 350, 190
    curves = {"nDCG@k": ("green", values)}
    step = width / 7.5
    parts = [
        *chart((left, upper, width, height), curves, "cutoff k"),
        *(
            text(left + step * (k - 0.5), upper + height * (1 - value) - 9, f"{value:.3f}",
                 "small middle")
            for k, value in enumerate(values, 1)
            if value > 0
        ),
    ]  # fmt: skip
    save("ndcg-cutoffs.svg", "nDCG at cutoffs from 1 to 8", WIDTH, 274, parts)


def draw_gains() -> None:
    """Show linear and exponential gains of labels, as shares of the highest."""
    parts = []
    kinds = {"linear": "gain = label", "exp2": "gain = 2^label - 1"}
    for column, (gain, words) in enumerate(kinds.items()):
        left, base = 20 + 230 * column, 200
        parts.append(text(left, 36, words, "strong"))
        gains = [rm.DCG(gain=gain)([label]) for label in range(5)]
        for label, value in enumerate(gains):
            x, tall = left + 21 + 42 * label, 130 * value / gains[-1]
            parts += [
                box(x - 15, base - tall, 30, tall, "bar", 2),
                text(x, base - tall - 7, f"{value:g}", "middle"),
                text(x, base + 18, str(label), "middle"),
            ]
        parts += [
            path([(left, base), (left + 210, base)]),
            text(left + 105, 240, "label", "small middle"),
        ]
    save("gains.svg", "Linear and exponential gains of the labels 0 to 4", WIDTH, 254, parts)


def draw_three_winners() -> None:
    """Show three rankings, of which each is the best by one measure."""
    measures = ["nDCG", "AP(rel=4)", "RR(rel=4)"]
    rankings = [[VOTES[one] for one in order] for order in THREE.values()]
    found = {name: [rm.measure(name)(ranking) for ranking in rankings] for name in measures}
    parts = []
    for place, (system, order) in enumerate(THREE.items()):
        y = 34 + 92 * place
        majority = {one: votes >= 4 for one, votes in VOTES.items()}
        parts += row(f"system {system}", order, y, majority)
        for column, (name, values) in enumerate(found.items()):
            kind = "strong" if values[place] == max(values) else ""
            words = f"{name.partition('(')[0]} {values[place]:.3f}"
            parts.append(text(FIRST + 120 + 118 * column, y, words, kind))
        parts += [
            text(centre(rank), y + 54, f"{VOTES[one]} votes", "small middle")
            for rank, one in enumerate(order, 1)
        ]
    parts.append(text(FIRST, 310, "bold: the best of the three systems by this measure", "small"))
    parts.append(text(FIRST, 328, "green: at least four votes, relevant for AP and RR", "small"))
    save("ndcg-vs-map.svg", "Three systems and three measures", WIDTH, 344, parts)


def draw_user_models() -> None:
    """Show the weight that measures give to each rank."""
    alone = [[0] * (rank - 1) + [1] for rank in range(1, 11)]
    curves = {
        "DCG": ("green", [rm.DCG(one) for one in alone]),
        "RBP, p = 0.8": ("blue", [rm.measure("RBP(p=0.8)")(one) / 0.2 for one in alone]),
        "RBP, p = 0.5": ("blue dashed", [rm.measure("RBP(p=0.5)")(one) / 0.5 for one in alone]),
        "RR": ("red dotted", [rm.RR(one) for one in alone]),
    }
    parts = chart((46, 30, 320, 220), curves, "rank")
    save("user-models.svg", "Weights of the ranks 1 to 10 in four measures", WIDTH, 304, parts)


def main() -> None:
    """Draw all pictures."""
    draw_collection()
    draw_orders()
    draw_single_document()
    draw_cut()
    draw_cutoffs()
    draw_reciprocal_rank()
    draw_average_precision()
    draw_ndcg()
    draw_ndcg_cutoffs()
    draw_gains()
    draw_three_winners()
    draw_user_models()


if __name__ == "__main__":
    main()
