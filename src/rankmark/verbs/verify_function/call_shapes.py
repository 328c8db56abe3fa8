"""How functions of rankings are called: what their arguments are, and how that is guessed."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from rankmark.errors import InputError, shown
from rankmark.verbs.verify_function.program import Program

if TYPE_CHECKING:
    from rankmark.verbs.verify_function.cases import Case

Style = Literal["lists", "sets", "arrays", "tensors"]

HINTS = {
    "labels": r"y_?true|(true_)?labels?|targets?|.*relevances?(_list|_scores?|_labels?)?|rels?"
    r"|rel_.*|r|gains?|grades?|ratings?|is_rel.*|judg\w*|hits?|relevant|scores|truth|gold_labels",
    "hits": r"y_?true|hits?|rels?|relevances?|labels?|targets?|is_rel.*|relevant|binary.*",
    "scores": r"y_?(score|pred|hat|prob)\w*|preds?|predictions?|(pred\w*_|model_)?scores?|logits"
    r"|probs|output",
    "retrieved": r"retrieved.*|rank(ed|ing|ings|s)?(_.*)?|recomm.*|recs?|pred(icted|ictions?|s)?"
    r"(_.*)?|results?(_.*)?|(doc|item|response|returned|found|search)\w*|p|hits|top_?\w*_?ids"
    r"|y_pred",
    "relevant": r"(?!relevance).*relevant(?!_scores).*|ground_?truths?(_.*)?|gt(_.*)?|gold\w*"
    r"|actuals?(_.*)?|expected.*|true\w*|targets?|truth|positives?|pos_.*|references?(_.*)?"
    r"|y_?true|labels|test_.*|a|liked.*",
    "judged": r"qrels?|judg\w*|relevances?|rel(s|_dict|_map|evance_\w+)?|grades?|gains?|ratings"
    r"|labels|relevant_docs|truth|ground_truth|gold",
    "ideal": r"ideal.*|all_.*|true_rel.*|best.*|full.*|judged.*",
    "num_relevant": r"n(um|o|b)?_?(total_)?(rel|pos|gold|true|gt).*|total.*|n_?r",
    "qrels": r"qrels?|ground_?truths?|gold\w*|judg\w*|truths?|relevant.*|y_true",
    "run": r"runs?|results?|predict\w*|rank\w*|retriev\w*|system.*|scores|y_pred",
    "k": r"k|k_?\d*|.*_k|top_?[kn]?|n|cut_?off|at|depth|num_items|limit|topk|n_items|rank_?cut.*",
}
"""What can stand in ``arguments``, and the names of parameters that suggest it."""
_SURELY_K = r"(top_?)?k|cut_?off"  # also as the first argument
_BATCHES = ("labels", "hits", "scores", "retrieved", "relevant", "judged", "ideal")
_PAIRS = (
    *(("retrieved", "relevant"), ("retrieved", "judged"), ("labels", "scores"), ("qrels", "run")),
    *(("hits", "scores"), ("labels", "ideal"), ("labels", "num_relevant")),
    *(("retrieved[]", "relevant[]"), ("retrieved[]", "judged[]"), ("labels[]", "scores[]")),
    *(("hits[]", "scores[]"), ("retrieved{}", "relevant{}"), ("retrieved{}", "qrels")),
)
_SINGLE = ("labels", "labels[]", "labels{}", "hits", "hits[]")
_KNOWS_MISSED = {"relevant", "judged", "ideal", "num_relevant", "qrels"}


class Seen(NamedTuple):
    """What a function is told of a case.

    Parameters
    ----------
    ranked
        Labels in rank order: 0 of documents that are not judged.
    judged
        Labels of all judged documents that it is told of, in the order given.
    k
        The cutoff; None if it is not given one.
    given
        Labels in the order in which the documents are given with their scores; None without scores.
    """

    ranked: tuple[float, ...]
    judged: tuple[float, ...]
    k: int | None
    given: tuple[float, ...] | None = None


class Shape(NamedTuple):
    """How a function is called.

    Parameters
    ----------
    words
        What each argument is, of ``HINTS``; "[]" or "{}" follows if it has one for each query.
    names
        The names of those that are passed by name; None for those passed by position.
    style
        Whether sequences are lists, with relevant ids in a set in "sets", or NumPy arrays, whose
        ids are whole numbers, or tensors of torch.
    hinted
        How many names of parameters say so.
    """

    words: tuple[str, ...]
    names: tuple[str | None, ...]
    style: Style = "lists"
    hinted: int = 0

    @property
    def plain(self) -> frozenset[str]:
        """The words, whether or not there is one for each query."""
        return frozenset(word.rstrip("[]{}") for word in self.words)

    @property
    def is_told_by_names(self) -> bool:
        """Whether the names of all parameters say what they are."""
        return self.hinted + self.takes_queries >= 2 * (len(self.words) - self.has_k)

    @property
    def has_k(self) -> bool:
        """Whether it is given a cutoff."""
        return "k" in self.words

    @property
    def has_scores(self) -> bool:
        """Whether it ranks by scores, so that documents can tie."""
        return bool(self.plain & {"scores", "run"})

    @property
    def has_positions(self) -> bool:
        """Whether documents are positions in arrays with scores, and have no ids to break ties."""
        return bool(self.plain & {"labels", "hits"}) and self.has_scores

    @property
    def has_grades(self) -> bool:
        """Whether it is given labels, and not only which documents are relevant."""
        return bool(self.plain & {"labels", "judged", "qrels"})

    @property
    def has_unjudged(self) -> bool:
        """Whether a document can be retrieved that is not judged, other than not relevant."""
        return bool(self.plain & {"judged", "qrels"})

    @property
    def knows_missed(self) -> bool:
        """Whether it is told of relevant documents that were not retrieved."""
        return bool(self.plain & _KNOWS_MISSED)

    @property
    def takes_queries(self) -> bool:
        """Whether it takes several queries, and may average over them."""
        return "qrels" in self.words or any(word[-1] in "]}" for word in self.words)

    def __str__(self) -> str:
        pairs = zip(self.words, self.names, strict=True)
        return ", ".join(word if name is None else f"{word} as {name}=" for word, name in pairs)

    def seen(self, case: Case) -> Seen:
        """Return what a function called so is told of a case, without ties and duplicates."""
        labels = dict(case.labels)
        if not self.has_grades:
            labels = {doc_id: 1.0 for doc_id, label in case.labels if label >= 1}
        ranked = tuple(labels.get(doc_id, 0.0) for doc_id in case.ranking)
        given = None
        if self.has_scores:
            given = tuple(labels.get(doc_id, 0.0) for doc_id, _ in case.mixed)
        judged = tuple(labels.values()) if self.knows_missed else given or ranked
        if "ideal" in self.plain:
            judged = tuple(sorted(judged, reverse=True))
        return Seen(ranked, judged, case.k if self.has_k else None, given)

    def is_told_of_relevant(self, case: Case) -> bool:
        """Whether a function called so is told of a relevant document in a case."""
        return any(label > 0 for label in self.seen(case).judged)

    def arguments(self, cases: Sequence[Case]) -> tuple[list[Any], dict[str, Any]]:
        """Return the arguments of a call for some queries, one if it takes only one."""
        given, named = list[Any](), dict[str, Any]()
        for word, name in zip(self.words, self.names, strict=True):
            value = self._argument(word, cases)
            if name is None:
                given.append(value)
            else:
                named[name] = value
        return given, named

    def _argument(self, word: str, cases: Sequence[Case]) -> Any:
        kind, queries = word.rstrip("[]{}"), [(f"q{at}", one) for at, one in enumerate(cases, 1)]
        if word == "k":
            return cases[0].k
        if word == "qrels":
            return {query: {d: _whole(x) for d, x in case.labels} for query, case in queries}
        if word == "run":
            return {query: dict(case.mixed) for query, case in queries if case.in_run}
        if word == kind:
            return self._styled(self._one(word, cases[0]))
        if word.endswith("{}"):
            is_run = kind == "retrieved"
            return {
                query: self._styled(self._one(kind, one))
                for query, one in queries
                if one.in_run or not is_run
            }
        rows = [self._one(kind, one) for one in cases]
        is_table = len({len(row) for row in rows}) == 1 and kind != "judged"
        return self._styled(rows) if is_table else [self._styled(row) for row in rows]

    def _one(self, word: str, case: Case) -> Any:  # noqa: PLR0911
        labels = dict(case.labels)
        relevant = [doc_id for doc_id, label in labels.items() if label >= 1]
        order = [one for one, _ in case.mixed] if self.has_scores else list(case.ranking)
        if word == "num_relevant":
            return len(relevant)
        if word == "judged":
            return {self._id(doc_id): _whole(label) for doc_id, label in labels.items()}
        if word == "relevant":
            ids = map(self._id, relevant)
            return set(ids) if self.style == "sets" else list(ids)
        if word == "retrieved":
            return [self._id(doc_id) for doc_id in case.ranking]
        if word == "scores":
            return [score for _, score in case.mixed]
        if word == "ideal":
            return [_whole(label) for label in sorted(labels.values(), reverse=True)]
        found = [labels.get(doc_id, 0.0) for doc_id in order]
        return [int(label >= 1) if word == "hits" else _whole(label) for label in found]

    def _id(self, doc_id: str) -> Any:
        """Return an id as text, or in arrays as a number."""
        if self.style in {"lists", "sets"}:
            return doc_id
        return int(doc_id[1:]) + (1000 if doc_id[0] == "m" else 0)

    def _styled(self, made: Any) -> Any:
        if self.style == "arrays" and isinstance(made, list):
            import numpy as np  # noqa: PLC0415

            return np.array(made)
        if self.style == "tensors" and isinstance(made, list):
            return sys.modules["torch"].tensor(made)
        return made


def _whole(label: float) -> float:
    """Return a label as people write it: an int if it is whole."""
    return int(label) if float(label).is_integer() else label


def shapes(function: Callable[..., Any], arguments: str | Iterable[str] | None) -> list[Shape]:
    """Return the ways in which a function may be called, those that its names suggest first.

    What a program is given is JSON, and does not have to be guessed.

    Tensors come last: they are tried only if nothing else works, so that what is found of other
    functions does not depend on whether torch was imported.

    Raises
    ------
    InputError
        If ``arguments`` has an unknown word, or no way is known for that many arguments.
    """
    if isinstance(function, Program):
        return [_given(function.ARGUMENTS if arguments is None else arguments, [])]
    try:
        known = list(signature(function).parameters.values())
    except (TypeError, ValueError):  # of a compiled function
        known = [Parameter(name, Parameter.POSITIONAL_ONLY) for name in ("_", "__")]
    if arguments is not None:
        return list(_styles(_given(arguments, known)))
    variadic = (Parameter.VAR_POSITIONAL, Parameter.VAR_KEYWORD)
    known = [parameter for parameter in known if parameter.kind not in variadic]
    k = next(  # the first is the ranking, also where it is called r or n
        (p for at, p in enumerate(known)
         if re.fullmatch(HINTS["k"] if at else _SURELY_K, p.name.lower())),
        None,
    )  # fmt: skip
    needed = [one for one in known if one is k or one.default is Parameter.empty]
    found = list(_possible(needed, k))
    if k is None and len(needed) > 1:  # the last may be the cutoff, whatever its name
        found += _possible(needed, needed[-1])
    if not found:
        count = "no" if not needed else f"{len(needed)} required"
        raise InputError(
            f"the function takes {count} arguments, so it is unknown how to give it a ranking",
            "say what they are, as in arguments='retrieved, relevant, k', or write a function "
            "of one ranking that calls it",
        )
    found.sort(key=lambda shape: -shape.hinted)
    styled = [one for shape in found for one in _styles(shape)]
    return sorted(styled, key=lambda shape: shape.style == "tensors")


def _possible(needed: Sequence[Parameter], k: Parameter | None) -> Iterator[Shape]:
    """Yield what some arguments may be."""
    others = [parameter for parameter in needed if parameter is not k]
    pairs: list[tuple[str, ...]] = [way for pair in _PAIRS for way in (pair, pair[::-1])]
    by_count: dict[int, list[tuple[str, ...]]] = {1: [(word,) for word in _SINGLE], 2: pairs}
    for words in by_count.get(len(others), []):
        hints = [HINTS[word.rstrip("[]{}")] for word in words]
        hinted = 2 * sum(
            bool(re.fullmatch(hint, parameter.name.lower()))
            for hint, parameter in zip(hints, others, strict=True)
        )
        hinted -= any(word[-1] in "]}" for word in words)  # single rankings first
        of = iter(words)
        every = tuple("k" if parameter is k else next(of) for parameter in needed)
        yield Shape(every, tuple(map(_by_name, needed)), "lists", hinted)


def _by_name(parameter: Parameter) -> str | None:
    """Return the name of an argument that is passed by name: one with a default, or after ``*``."""
    by_name = parameter.kind is Parameter.KEYWORD_ONLY or parameter.default is not Parameter.empty
    return parameter.name if by_name else None


def _styles(shape: Shape) -> Iterator[Shape]:
    yield shape
    if "relevant" in shape.plain:
        yield shape._replace(style="sets")
    if shape.plain & {"labels", "hits", "scores", "retrieved"}:
        yield shape._replace(style="arrays")
        if "torch" in sys.modules:
            yield shape._replace(style="tensors")


def _given(arguments: str | Iterable[str], known: Sequence[Parameter]) -> Shape:
    """Read ``arguments``: words in the order of the function's, or name=word."""
    if not isinstance(arguments, (str, list, tuple)):
        raise InputError(
            f"arguments is {shown(arguments)}", "need words, such as 'retrieved, relevant, k'"
        )
    words, names = list[str](), list[str | None]()
    for part in arguments.split(",") if isinstance(arguments, str) else arguments:
        name, _, word = (part if isinstance(part, str) else shown(part)).strip().rpartition("=")
        plain = word.removesuffix("[]").removesuffix("{}")
        if plain not in HINTS or (word != plain and plain not in _BATCHES):
            raise InputError(
                f"arguments has {shown(word)}",
                f"need one of {', '.join(HINTS)}, or one of {', '.join(_BATCHES)} with [] or {{}} "
                "for a list or dict with one for each query",
            )
        words.append(word)
        names.append(name or None)
    by_name = [one.name for one in known if one.kind is Parameter.KEYWORD_ONLY]
    cutoffs = [name for name in by_name if re.fullmatch(HINTS["k"], name.lower())]
    if cutoffs and "k" in words and names[words.index("k")] is None:
        names[words.index("k")] = cutoffs[0]
    if len(set(words)) < len(words) or not set(words) - {"k"}:
        raise InputError(
            f"arguments is {shown(', '.join(words))}", "name each argument once, and a ranking"
        )
    return Shape(tuple(words), tuple(names))
