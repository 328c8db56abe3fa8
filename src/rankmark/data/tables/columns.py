"""Recognise the columns of a frame or of a file with a header by their usual names."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from rankmark.data.contract.source_options import LIST
from rankmark.errors import SchemaError, shown, warn
from rankmark.named_tuples import NamedTuple

if TYPE_CHECKING:
    from rankmark.data.contract.source_options import Kind, SourceOptions

Role = Literal["query_id", "doc_id", "score", "label", "rank", "subtopic"]

# Compared by letters and digits alone, ignoring case: userId is user_id.
NAMES: dict[Role, tuple[str, ...]] = {
    "query_id": (
        *("query_id", "qid", "q_id", "query", "topic_id", "topic", "question_id", "question"),
        *("user_id", "user", "uid", "user_idx", "customer_id", "customer", "visitor_id"),
        *("session_id", "query_text"),
    ),
    "doc_id": (
        *("doc_id", "docid", "docno", "document_id", "doc", "document", "corpus_id"),
        *("passage_id", "passage", "pid", "chunk_id", "chunk", "node_id", "page_id"),
        *("item_id", "item", "iid", "item_idx", "product_id", "product", "article_id", "article"),
        *("movie_id", "movie", "film_id", "book_id", "song_id", "track_id", "video_id", "news_id"),
        *("asin", "parent_asin", "sku"),
    ),
    "score": (
        *("score", "sim", "prediction"),
        *("similarity", "similarity_score", "relevance_score", "predicted", "pred"),
        *("predicted_score", "pred_score", "model_score"),
        *("predicted_rating", "pred_rating", "est", "y_pred", "y_score", "y_hat"),
        *("probability", "proba", "prob", "y_prob", "y_proba", "pred_proba", "predicted_proba"),
        *("logit", "confidence"),
    ),
    "label": (
        *("label", "relevance", "rel", "grade", "qrel", "y_true", "y", "target"),
        *("ground_truth", "truth", "gt", "gold", "gold_label", "true_label", "relevance_label"),
        *("gain", "judgment", "judgement", "is_relevant", "relevant"),
        *("clicked", "click", "is_clicked", "is_click", "purchased", "purchase", "is_purchased"),
        *("bought", "liked", "like", "is_liked", "converted", "conversion"),
        *("rating", "stars", "star_rating", "true_rating", "r_ui"),
    ),
    "rank": ("rank", "position", "doc_position", "document_position"),
    "subtopic": ("subtopic", "subtopic_id", "intent", "aspect", "iteration", "iter"),
}

# Names that give way to others in the same table: texts to ids, as PyTerrier's query to qid; its
# internal document numbers, docid, to docno; and less usual names of labels to usual ones. Scores
# give way to none, as they may be those of another model.
_QUERY_IDS = ("query_id", "qid", "q_id")
_DOC_IDS = tuple(name for name in NAMES["doc_id"] if name.endswith(("id", "docno", "asin", "sku")))
_GIVES_WAY: dict[str, tuple[str, ...]] = {
    "query": _QUERY_IDS,
    "topic": ("topic_id",),
    "query_text": (*_QUERY_IDS, "question_id", "query", "topic_id", "topic"),
    "question": (*_QUERY_IDS, "question_id", "query", "topic"),
    "user": ("user_id", "uid", "user_idx"),
    "customer": ("customer_id",),
    "docid": ("docno",),
    "item": ("item_id", "iid", "item_idx"),
    "movie": ("movie_id",),
    **dict.fromkeys(("doc", "document", "passage", "chunk", "product", "article"), _DOC_IDS),
    **dict.fromkeys(NAMES["label"][15:], NAMES["label"][:15]),
}

# Names of the other number that some tools use: BEIR for labels, libraries for recommender systems
# for scores. They count if no other column holds numbers.
_ALSO: dict[Role, tuple[str, ...]] = {
    "label": ("score", "relevance_score"),
    "score": ("rating",),
}
# Columns that hold numbers and are neither labels nor scores: ids, time stamps, numbers of rows.
_NEITHER = (
    *("timestamp", "ts", "time", "unixtime", "unixreviewtime", "eventtime", "createdat"),
    *("date", "datetime", "unnamed0", "index", "indexlevel0", "level0", "row", "rownumber"),
    *("fold", "split"),
)

OWN_IDS = ("id", "_id")
"""Names for the document id of a hit, as its query is known already."""
_OPPOSITE: dict[Role, Role] = {"label": "score", "score": "label"}
_OF_PARTS = "; if the other is the document of each, it is the column 'parent'"
_TAGS = ("tag", "run_tag", "run_id")


class Chosen(NamedTuple):
    """The positions of the columns in a table; None for those that it does not have.

    ``number`` is the label of judgments or the score of a run; ``subtopic`` is set if requested.
    """

    query_id: int
    doc_id: int
    number: int | None
    rank: int | None
    subtopic: int | None = None

    def picked(self) -> tuple[list[int], Chosen]:
        """Return the positions in use, and the same columns in a table of only these."""
        places = sorted({place for place in self if place is not None})
        moved = {place: at for at, place in enumerate(places)}
        others = (self.number, self.rank, self.subtopic)
        return places, Chosen(
            moved[self.query_id],
            moved[self.doc_id],
            *(None if place is None else moved[place] for place in others),
        )

    def named(self, names: Sequence[str], kind: Kind) -> dict[str, str]:
        """Return ``{role: name}``."""
        number = "label" if kind == "qrels" else "score"
        places = {
            "query_id": self.query_id,
            "doc_id": self.doc_id,
            number: self.number,
            "rank": self.rank,
            "subtopic": self.subtopic,
        }
        return {role: names[place] for role, place in places.items() if place is not None}


def refuse_unknown(role: str, name: Any, names: Sequence[str], where: str) -> None:
    """Refuse the name of a column that a table does not have, or has twice."""
    if name not in names:
        raise SchemaError(
            f"there is no column {name!r} for {role}",
            f"choose one of {_listed(names)}",
            where=where,
        )
    if list(names).count(name) > 1:
        raise SchemaError(f"several columns are named {name!r}", "rename all but one", where=where)


def choose(
    names: Sequence[str],
    kind: Kind,
    columns: Mapping[str, str] | None,
    where: str,
    *,
    subtopics: bool = False,
    numeric: Callable[[int], bool] = lambda _: False,
    of_hits: bool = False,
) -> Chosen:
    """Find the columns of judgments or of a run.

    A name of labels is never that of scores. Judgments without a label column use the column score
    instead, as in BEIR's files, and a run without scores the column rating, if no other column
    holds numbers. Without any numbers, every judged row is relevant, and a run is ordered by rank,
    else by the order of its rows.

    Parameters
    ----------
    names
        The table's columns.
    columns
        ``{role: name}`` for columns that the caller named; roles are query_id, doc_id, score,
        label, rank and subtopic.
    where
        The name of the table in messages.
    subtopics
        Whether judgments need a subtopic column.
    numeric
        Whether the column at a position holds numbers, as far as that is known.
    of_hits
        Whether these are the fields of hits, whose ids may be called id.

    Warns
    -----
    RankmarkWarning
        If there are columns besides the ids, but none is recognised as a number or rank.
    """
    if kind == "run" and columns is not None and LIST in columns:
        raise SchemaError(
            f"{LIST} names a field of JSON that holds a list of documents, and this is a table",
            "leave it out",
            where=where,
        )
    named = named_roles(columns, where)
    for role, name in named.items():
        refuse_unknown(role, name, names, where)

    def place(role: Role) -> int | None:
        if role in named:
            return list(names).index(named[role])
        found = found_by_name(names, role)
        if not found and of_hits and role == "doc_id":
            found = [at for at, name in enumerate(names) if name in OWN_IDS]
        if len(found) > 1 and role == "score":
            found = [at for at in found if numeric(at)] or found
        if len(found) > 1:
            first, second, *_ = (names[i] for i in found)
            raise SchemaError(
                f"{first!r} and {second!r} could both be {role}",
                f"choose with {_choice(role, first, where)}"
                + (_OF_PARTS if role == "doc_id" else ""),
                where=where,
            )
        return found[0] if found else None

    def needed(role: Role) -> int:
        found = place(role)
        if found is None:
            remedy = f"choose with {_choice(role, None, where)}"
            if _is_file_name(where) and any(map(_is_number, names)):
                number = "label" if kind == "qrels" else "score"
                remedy = f"put a first line of names, such as query_id,doc_id,{number}"
            raise SchemaError(
                f"no column has a usual name for {role}, such as {', '.join(NAMES[role][:3])}",
                f"it has {_listed(names)}; {remedy}",
                where=where,
            )
        return found

    query_id, doc_id = needed("query_id"), needed("doc_id")
    if kind == "qrels":
        label = place("label")
        subtopic = needed("subtopic") if subtopics else None
        if label is None:
            _refuse_run(names, named, where)
            label = place("score") if "score" in named else None
        chosen = Chosen(query_id, doc_id, label, None, subtopic)
    else:
        chosen = Chosen(query_id, doc_id, place("score"), place("rank"))
    if chosen.number is None and chosen.rank is None:
        chosen = chosen._replace(number=other_number(names, kind, chosen, numeric, where))
    if chosen.number is None and chosen.rank is None and len(names) > 2 + subtopics:
        warn_without_number(names, kind, where)
    return chosen


def chosen_in(
    names: Sequence[str],
    kind: Kind,
    options: SourceOptions,
    where: str,
    numeric: Callable[[int], bool],
) -> Chosen:
    """Find the columns as ``choose`` does, as far as the caller named them in the options."""
    return choose(
        names, kind, options.columns, where, subtopics=options.by_subtopic, numeric=numeric
    )


def warn_without_number(names: Sequence[str], kind: Kind, where: str) -> None:
    """Warn that no column is taken for labels or scores, and what that means."""
    role, else_ = (
        ("label", "every row is relevant")
        if kind == "qrels"
        else ("score", "documents are ranked in the order given")
    )
    warn(
        f"no column has a usual name for {role}, so {else_}; it has {_listed(names)}",
        f"if one holds {role}s, choose it with {_choice(role, None, where)}",
        where=where,
    )


def other_number(
    names: Sequence[str],
    kind: Kind,
    chosen: Collection[int | None],
    numeric: Callable[[int], bool],
    where: str,
) -> int | None:
    """Return the only column with a name that some tools use for this number; None if none is."""
    role: Role = "label" if kind == "qrels" else "score"
    also = [at for at, name in enumerate(names) if _singular(_bare(name)) in _others(role)]
    unread = [
        at
        for at, name in enumerate(names)
        if at not in {*chosen, *also} and not _is_neither(name) and numeric(at)
    ]
    if len(also) == 1 and not unread:
        return also[0]
    held = sorted([*also, *unread])
    if not held:
        return None
    found = _listed([names[at] for at in held])
    own = next((names[at] for at in held if not is_known(names[at], _OPPOSITE[role])), None)
    chosen_by = _choice(role, own, where)
    if role == "score" and "distance" in str(own).lower():
        chosen_by = f"{_choice('rank', own, where)}, if the lowest is the best, else {chosen_by}"
    raise SchemaError(
        f"no column has a usual name for {role}, such as {', '.join(NAMES[role][:3])}, and "
        f"{found} {'holds' if len(held) == 1 else 'hold'} numbers, which would be left unread",
        f"choose with {chosen_by}, or leave {'it' if len(held) == 1 else 'them'} out",
        where=where,
    )


def _is_neither(name: object) -> bool:
    """Return True if a column's name says that its numbers are neither labels nor scores."""
    bare = _bare(name)
    is_id = re.search(r"(?:^|[\W_])(?:id|ID)$|I[dD]$", str(name)) is not None
    others: tuple[Role, ...] = ("query_id", "doc_id", "subtopic")
    return not bare or bare in _NEITHER or is_id or any(is_known(name, role) for role in others)


def _refuse_run(names: Sequence[str], named: Mapping[str, Any], where: str) -> None:
    """Refuse the columns of a run as judgments: ranks or tags, and no labels."""
    of_runs = [name for name in names if is_known(name, "rank") or is_tag(name)]
    if not of_runs or "label" in named or "score" in named:
        return
    raise SchemaError(
        f"these are not judgments: there is a column {of_runs[0]!r}, as in a run, and none of "
        f"labels; it has {_listed(names)}",
        "give the judgments first, then the run; if a column holds labels, choose it with "
        f"{_choice('label', None, where)}",
        where=where,
    )


def named_roles(columns: Mapping[str, Any] | None, where: str) -> dict[str, Any]:
    """Check the columns that a caller names: ``{role: name}``."""
    if columns is None:
        return {}
    for role, name in columns.items():
        if role in NAMES or role == LIST:
            continue
        if role == "parent":
            raise SchemaError(
                "columns names 'parent', the documents of units, which are only used when a run "
                "is evaluated",
                "leave it out",
                where=where,
            )
        remedy = f"need one of {', '.join(NAMES)}, parent"
        if isinstance(name, str) and name in NAMES:
            remedy = f"put the role first: columns={{{name!r}: {role!r}}}"
        raise SchemaError(f"columns names {role!r}, which is not a role", remedy, where=where)
    return {role: name for role, name in columns.items() if role != LIST}


def found_by_name(names: Sequence[Any], role: Role) -> list[int]:
    """Return the positions of the columns whose names fit a role.

    Texts give way to ids, and plurals, as for columns of lists, to singulars.
    """
    bare = [_bare(name) for name in names]
    found = [i for i, name in enumerate(bare) if name in _known(role)]
    if not found and role != "query_id":
        return [i for i, name in enumerate(bare) if _singular(name) in _known(role)]
    candidates = {bare[i] for i in found}
    return [i for i in found if candidates.isdisjoint(_winners(bare[i]))]


def _singular(name: str) -> str:
    return name.removesuffix("s")


@cache
def _winners(name: str) -> frozenset[str]:
    return frozenset(
        _bare(winner)
        for loser, winners in _GIVES_WAY.items()
        if _bare(loser) == name
        for winner in winners
    )


def _choice(role: str, name: str | None, where: str) -> str:
    """Return the option that chooses a column; for files also that of the command line."""
    code = f"columns={{{role!r}: {'NAME' if name is None else repr(name)}}}"
    return f"{code}, or --column {role}={name or 'NAME'}" if _is_file_name(where) else code


def _is_file_name(where: str) -> bool:
    return not where.endswith(">")


def _is_number(name: object) -> bool:
    return re.fullmatch(r"[+-]?\d*\.?\d+(e[+-]?\d+)?", str(name), re.IGNORECASE) is not None


def is_known(name: object, role: Role) -> bool:
    """Return True if the name is a usual one for this role."""
    return _bare(name) in _known(role)


def is_tag(name: str) -> bool:
    """Return True if the name is usual for the tag of a run, on which no number depends."""
    return _bare(name) in {_bare(tag) for tag in _TAGS}


@cache
def _others(role: Role) -> frozenset[str]:
    return frozenset(map(_bare, _ALSO[role]))


@cache
def _known(role: Role) -> frozenset[str]:
    return frozenset(map(_bare, NAMES[role]))


def _bare(name: object) -> str:
    if isinstance(name, str) and ":" in name:  # RecBole's user_id:token
        name = re.sub(r":(token|float)(_seq)?$", "", name)
    return re.sub(r"[\W_]+", "", name).lower() if isinstance(name, str) else ""


def _listed(names: Sequence[str]) -> str:
    some = ", ".join(shown(name) for name in names[:12])
    return f"{some} and {len(names) - 12} more" if len(names) > 12 else some or "no columns"
