"""A small set of recommendations: five users, five items, of which one is in no history."""

HISTORY = {
    "u1": ["a", "b"],
    "u2": ["a", "c"],
    "u3": ["a", "b"],
    "u4": ["a", "d"],
    "u5": ["b", "c"],
}
LISTS = {
    "u1": ["c", "d", "e"],
    "u2": ["b", "d", "e"],
    "u3": ["d", "c", "e"],
    "u4": ["b", "c", "e"],
    "u5": ["a", "d", "e"],
}
SHORT_LISTS = {**{user: LISTS[user] for user in ("u1", "u2", "u3")}, "u4": ["b"]}
"""The same, but one user has a single item, and another none."""
TEST = {"u1": ["c"], "u2": ["b", "e"], "u3": ["e"], "u4": ["c"], "u5": ["d"]}
CATEGORIES = {"a": ["X"], "b": ["X"], "c": ["Y"], "d": ["Y", "Z"], "e": ["Z"]}
USER_GROUPS = {"u1": "A", "u2": "A", "u3": "B", "u4": "B", "u5": "B"}
RANKINGS = {"q1": [*"abcdef"], "q2": [*"cabfde"]}
"""Two rankings of items of two groups."""
RELEVANT = {"q1": ["a", "c", "e"], "q2": ["b", "c"]}
GROUPS = {"a": "major", "b": "major", "d": "major", "c": "minor", "e": "minor", "f": "minor"}
