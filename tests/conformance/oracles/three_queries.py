"""Judgments and a run of three queries, on which names of other tools are tried."""

QRELS = {
    "q1": {"a": 2, "b": 1, "c": 0, "d": 1, "e": 2},
    "q2": {"a": 0, "b": 0, "c": 1, "d": 2},
    "q3": {"a": 1, "b": 2},
}
RUN = {
    "q1": {"b": 9.0, "x": 8.0, "a": 7.0, "c": 6.0, "d": 5.0},
    "q2": {"a": 9.0, "d": 8.0, "b": 7.0, "x": 6.0, "c": 5.0},
    "q3": {"x": 9.0, "y": 8.0, "a": 7.0},
}
