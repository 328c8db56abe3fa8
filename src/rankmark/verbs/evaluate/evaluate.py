"""Evaluate a run against judgments."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from rankmark.arguments import Columns, Finite, Flag, FromOne, Text, checked
from rankmark.conventions import (
    Combining,
    Conventions,
    Duplicates,
    NoRelevant,
    Precision,
    Separator,
    Ties,
    Unwinnable,
)
from rankmark.data.contract.reading_options import AS_USUAL, Progress, Reading
from rankmark.data.contract.resources import Memory
from rankmark.data.contract.source_options import RunContents, Split
from rankmark.data.files.lines_of_text import AveragedQueries
from rankmark.data.preparing.qrels import Qrels
from rankmark.data.preparing.run import Run
from rankmark.errors import InputError
from rankmark.scoring.kept_data import KeptData, keeping, remembered, remembered_run
from rankmark.scoring.mismatch_warnings import (
    MANY_WITHOUT,
    warn_of_mismatch,
    warn_of_no_relevant,
    warn_of_rel,
)
from rankmark.scoring.request import Asked
from rankmark.scoring.scored_run import (
    Budgets,
    effect_of_labels,
    matched,
    score_apart,
    score_own,
    scored,
)
from rankmark.verbs.evaluate.audit import has_relevant
from rankmark.verbs.evaluate.evaluation import Evaluation
from rankmark.verbs.evaluate.provenance import out_of_reach, unsaid_rel
from rankmark.verbs.evaluate.shared_inputs import SharedInputs, is_nothing, unjudged

if TYPE_CHECKING:
    from rankmark.array_types import Floats
    from rankmark.data.preparing.document_weights import WeightsOfDocuments
    from rankmark.data.preparing.parents import ParentsSource
    from rankmark.data.preparing.qrels import Failed, QrelsSource
    from rankmark.data.preparing.run import RunSource
    from rankmark.measures import Measure
    from rankmark.measures.names import AnyMeasure
    from rankmark.profiles.profile import Profile
    from rankmark.scoring.scored_run import MatchedRun
    from rankmark.verbs.evaluate.query_attributes import Weights


@checked
def evaluate(
    qrels: Qrels | QrelsSource | None,
    run: Run | RunSource,
    measures: Iterable[AnyMeasure] | AnyMeasure | None = None,
    *,
    queries: AveragedQueries = "judged",
    ties: Ties = "docid",
    no_relevant: NoRelevant = "zero",
    depth: FromOne | None = None,
    judged_only: Flag = False,
    duplicates: Duplicates = "error",
    drop_self: Flag = False,
    precision: Precision = "double",
    unit: Separator | None = None,
    qrels_unit: Separator | None = None,
    combine: Combining = "best",
    unit_depth: FromOne | None = None,
    profile: str | Profile | None = None,
    seen: Any = None,
    history: Any = None,
    catalogue: Any = None,
    popularity: Any = None,
    items: Any = None,
    user_groups: Any = None,
    corpus: Any = None,
    unwinnable: Unwinnable | None = None,
    rel: Finite | None = None,
    weights: Weights | None = None,
    sampled: tuple[int, int] | None = None,
    pass_score: Finite | None = None,
    qrels_format: Text | None = None,
    run_format: Text | None = None,
    columns: Columns = None,
    qrels_columns: Columns = None,
    run_columns: Columns = None,
    groups: Any = None,
    mask: Any = None,
    lengths: Any = None,
    contents: RunContents | None = None,
    split: Split | None = None,
    failed: Failed | None = None,
    parents: ParentsSource | None = None,
    qrels_parents: ParentsSource | None = None,
    document_weights: WeightsOfDocuments = None,
    document_slices: WeightsOfDocuments = None,
    document_costs: WeightsOfDocuments = None,
    threads: FromOne | None = None,
    progress: Progress | None = None,
    memory: Memory | None = None,
) -> Evaluation:
    """Evaluate a run against qrels.

    Documents are ranked by score, highest first; ranks in a file are ignored unless
    ``ties="rank"``. The result's ``settings`` show every convention, and its ``audit`` which
    queries were averaged.

    Parameters
    ----------
    Data:
    qrels
        Relevance judgments: a path, an open file, ``{query id: {document id: label}}``, lists, a
        data frame, rows, an array, a sparse matrix, or Qrels. None if there are none, for measures
        of lists, such as MIUF and ItemCoverage.
    run
        Retrieved documents: the same with scores, or ids in order, best first; or Run.

        Or ``{name: [run, run, ...]}``, the trials of one system, whose scores are averaged within
        queries; see "Repeated trials" in the documentation.
    seen
        Documents that each query or user has seen already, in any form of judgments; they are
        removed from the rankings.

        An entry of 0, as in a matrix, means not seen.
    history
        What each user had before, in any form of judgments, for measures of lists such as MIUF; it
        may be what ``seen`` is.
    catalogue
        The items that could be in a list: `history`, for its items, `union`, for these and those
        of the run, or a file of ids.

        Or a list of ids. None is the items of the history.
    popularity
        The popularity of items: the `users` or the `interactions` of the history, or a file of
        item ids and numbers.

        Or ``{item: number}``, or a table. None is the users.
    items
        The categories of items, or their vectors, for measures such as ILD: a file of item ids and
        categories, or of item ids and columns of numbers.

        Or ``{item: categories}``, ``{item: vector}``, a table, an array with a row for each item
        number, or a function of two ids that returns their distance.

    user_groups
        Groups of users, for gaps between them: lines `user group`, a table, or a column of the
        judgments.

        Or ``{user: group}``; for ``Gap(of="nDCG@10")``, with ``by`` if there are several columns.
        Users are queries.
    corpus
        The ids of all documents that can be retrieved now, to say which judged ones are gone: an id
        a line, alone or before a tab, JSON Lines, CSV or Parquet, or a folder as BEIR has them.

        Or a list, a mapping or a frame; with ``unit``, also the ids of units. The audit names the
        queries that no system that searches it can win, as it lacks all their relevant documents;
        see ``check``.
    unwinnable
        Whether queries without a relevant document in the corpus are averaged, ``"keep"``, or left
        out, ``"skip"``. None means keep.

    Measures:
    measures
        Names or objects, in the order of the result; duplicates are removed. ``nDCG @ [1, 3, 5]``
        and ``"nDCG@1,3,5"`` are three measures; ``"official"``, ``"beir"``, ``"msmarco"`` and
        ``"trec-dl"`` are sets. None means nDCG@10, AP, RR@10, R@100, P@10 and Judged@10.
    rel
        The lowest relevant label of all measures that take one and do not name theirs: with
        ``rel=2``, ``"AP"`` is ``AP(rel=2)``. None means 1.
    weights
        Weights of the queries in means: lines `qid weight`.

        Or ``{query id: weight}``, or a table. All aggregates are then weighted means, also those of
        counts. None means that all queries count alike.
    sampled
        That each list has one target among sampled negatives: the number of all items, and that of
        negatives, as 10001,100; estimates on all items are added.

        A pair of numbers. Each measure that depends on the rank of the target is followed by
        ``Corrected(of=measure, ...)``; see "Sampled negatives" in the documentation.
    pass_score
        The score from which on a trial of a query passes, for pass@k, pass^k and flips. None for 1,
        in measures that are 0 or 1.

    Conventions:
    queries
        Which queries are averaged: all judged queries, where a missing one counts 0; those in both
        files; these ids; or the ids in a file, one per line.

        ``"judged"`` (as ``trec_eval -c``), ``"both"``, a list of ids, or a file as ``pathlib.Path``
        or as an open file.
    ties
        Order of tied documents: by id, descending (``"docid"``, as trec_eval) or ascending
        (``"docid-asc"``), or as in the file (``"input"``). ``"rank"`` uses the rank column instead
        of scores; ``"mean"`` is the expected value over all orders, ``"best"`` and ``"worst"`` are
        the extremes; ``"midrank"`` places tied documents at the middle of their ranks; ``"error"``
        refuses ties.

        Ids are ordered by their bytes.
    no_relevant
        How a judged query without relevant documents counts; ``"skip"`` leaves it out.

        Otherwise as ``"zero"``; ``"one"`` (for measures of at most 1; if lower is better, their
        minimum); or ``"nan"``.
    depth
        Cut rankings at this rank, after sorting.

        Documents beyond it count as not retrieved; None for no limit.
    judged_only
        Remove unjudged documents (condensed lists).
    duplicates
        If a document appears twice in a ranking: refuse it, or keep its first row, or the one with
        the best score.

        That is ``"error"``, ``"first"`` or ``"best"``.
    drop_self
        Remove documents whose id equals the query's id.
    precision
        Rank by scores as given, or rounded to single precision (``"float32"``), as trec_eval 9
        does.
    unit
        Retrieved ids are those of units, such as chunks: the document's id stands before the last
        occurrence of this text, as in ``D1#3``.

        Each document is ranked once, by its units; an id without the text is a document's. None
        means that ids are those of documents.
    qrels_unit
        Judged ids are those of units; each counts for its document, by the highest label.
    combine
        How units make the score of their document: best, first, sum, mean, count or rrf;
        ``"sum@2"``, ``"mean@2"`` and ``"rrf@2"`` take the two best units.

        The highest score (``"best"``), the rank of the first unit (``"first"``), the ``"sum"`` or
        the ``"mean"``, the number of units (``"count"``), or the sum of 1 / (60 + rank)
        (``"rrf"``).
    unit_depth
        Cut rankings of units at this rank, before they are combined.

        None for all. Cutoffs of measures and ``depth`` count documents.
    profile
        The name of another tool, such as ``"ranx"``: names of measures and conventions are
        those of the tool, except for conventions that you set to anything but their default;
        see "Profiles" in the documentation.

    Reading:
    qrels_format, run_format
        The format of a file, if it is not detected; see Qrels and Run.
    columns
        ``{role: name}`` for columns, in either input, whose names are not recognised.
    qrels_columns, run_columns
        The same for one input; they take precedence over ``columns``.
    groups
        For labels and scores in flat arrays: (n_queries,) sizes, or (n,) query ids.

        Or, as ``{item: group}``, ``{item: {group: share}}``, a table or a file, the groups of
        items, for measures of how fair lists are.
    mask
        For two-dimensional arrays: bool of the same shape, True for documents, False for padding.
    lengths
        For arrays padded on the right: (n_queries,) whole numbers of documents.
    contents
        What an array given as the run contains, if its type does not tell: ``"scores"``, or
        ``"ids"``, best first. Of any form, ``"scores"`` says that the highest is the best,
        although scores rise in every list, as distances do, and ``"ranks"`` that only the ranks of
        the documents listed are known; see Run.
    split
        What separates the ids of several documents in one cell, such as ``';'``, or ``"list"`` for
        lists in brackets.

        It is a cell of either side, and the best document is the first; a list is as
        ``"['d1', 'd2']"``.
    failed
        Documents without a label, as a model failed to give one, are refused (default) or count as
        not judged; labels such as -1 stand for a failure, too.

        They have None, NaN, or an empty cell; ``"error"`` refuses them, ``"unjudged"`` counts them
        as not judged. Labels are one or a list.
    parents
        The document of each retrieved chunk or other unit: lines `unit document`.

        It is for ids that do not contain the document: ``{unit: document}``, a function from one to
        the other, the path of a file, or the documents of units 0, 1, 2, ... in order. If it is a
        column, name it in ``run_columns``, as ``{"doc_id": "chunk_id", "parent": "doc_id"}``.
        ``combine`` and ``unit_depth`` apply.
    qrels_parents
        The same for judged units; each counts for its document, by the highest label.
    document_weights
        Weights of judged documents in weighted measures, such as prices: lines `docid weight`.

        They may be inverse propensities. Or ``{document id: weight}``,
        ``{query id: {document id: weight}}``, or a table. If they are a column of the judgments,
        name it in ``qrels_columns``, as ``{"weight": "price"}``. They count in
        ``nDCG(weighted=True)``, ``PSP`` and others; see "Weights of documents" in the
        documentation.
    document_slices
        Slices of judged documents, for measures of one, such as ``R(among="tail")``: lines
        `docid slice`.

        Or in the other forms of ``document_weights``, such as ``{query id: {document id: slice}}``.
        Documents of other slices count as judged not relevant.
    document_costs
        What each retrieved document costs, for budgets such as ``R@tokens(1000)``: lines
        `docid cost`.

        Or in the other forms of ``document_weights``. If the costs are a column of the run, name it
        in ``run_columns``, as ``{"tokens": "n_tokens"}``.
    threads
        Number of threads; None for one per core.

        They read a file. The number does not affect the result.
    progress
        Called with the number of bytes read so far while a file is read.
    memory
        Memory for rows of interleaved queries, such as ``"256M"`` or ``"2G"``; what does not fit
        goes to temporary files. None for ``"512M"``.

        A number is of bytes. It does not affect the result; see "Data larger than memory" in the
        documentation.

    Returns
    -------
    Evaluation
        ``scores``: (n_queries, n_measures) float64, unitless, rows in judgment order.

    Raises
    ------
    ParseError
        If a line of a file cannot be read.
    DuplicateError
        If a document appears twice for one query.
    MismatchError
        If no query of the run is judged.
    MeasureError
        If a measure or one of its parameters does not exist.
    InputError
        If a file cannot be read, a convention has an invalid value, an id in ``queries`` is not
        judged, a judged document is tied under ``ties="error"``, or an option applies to neither
        input.
    SchemaError
        If an input contains anything but ids and numbers, is ambiguous, or cannot belong to the
        other one.

    Notes
    -----
    Ties: by score descending, then document id descending, as trec_eval does [1]_.

    References
    ----------
    .. [1] trec_eval 10.0, form_res_rels.c, comp_sim_docno.

    Examples
    --------
    >>> import rankmark as rm
    >>> qrels = {"q1": {"a": 1, "b": 0, "c": 2}}
    >>> run = {"q1": {"a": 0.3, "b": 0.9, "c": 0.7}}
    >>> ev = rm.evaluate(qrels, run, ["nDCG@2", "RR"])
    >>> ev["RR"]
    0.5
    """
    conventions = Conventions.given(
        queries,
        ties,
        no_relevant,
        depth,
        judged_only,
        duplicates,
        drop_self,
        precision,
        unit,
        qrels_unit,
        combine,
        unit_depth,
    )
    reading = Reading.of(
        qrels_format,
        run_format,
        columns,
        qrels_columns,
        run_columns,
        groups,
        mask,
        lengths,
        contents,
        split,
        failed,
        parents,
        qrels_parents,
        document_weights,
        document_slices,
        document_costs,
        threads,
        memory,
        progress,
        history,
        catalogue,
        popularity,
        items,
        user_groups,
        corpus,
        unwinnable,
    )
    asked = Asked.of(measures, conventions, rel, profile)
    if sampled is not None:
        asked = asked.with_corrected(sampled)
    named: Any = run
    trials = _trials(qrels, *named.items()) if type(run) is dict and len(run) == 1 else None
    if trials is not None:
        from rankmark.verbs.evaluate.trials import Trials  # noqa: PLC0415

        if progress is not None:
            reading = reading._replace(progress=lambda _, done: progress(done))
        shared = SharedInputs.read(qrels, trials, asked, reading, seen)
        each = [
            evaluated(shared.qrels, one, asked, shared.reading.of_file(number), shared.seen)
            for number, one in enumerate(shared.runs, 1)
        ]
        shared.finish(each, weights)
        return Trials(str(*named), each, pass_score)
    refuse_pass_score(pass_score)
    found = evaluated(qrels, run, asked, reading, seen)
    if weights is not None:
        from rankmark.verbs.evaluate.query_attributes import weights_by_query  # noqa: PLC0415

        found._weigh(weights_by_query(weights))
    return found


def refuse_pass_score(pass_score: float | None) -> None:
    """Refuse a score from which on a trial passes, where there are no trials."""
    if pass_score is not None:
        raise InputError(
            "pass_score is for a system of several trials, and there is none",
            "leave it out, or give the trials of a system as a list or a quoted pattern",
        )


def _trials(qrels: Any, system: tuple[Any, Any]) -> list[Any] | None:
    """Return the runs of ``{name: [run, run, ...]}``; None if it is a run of one query."""
    name, runs = system
    if not isinstance(runs, (list, tuple)) or len(runs) < 2:
        return None
    first = runs[0]  # an id, or a file
    if isinstance(first, int) or (isinstance(first, str) and not os.path.isfile(first)):  # noqa: PTH113
        return None
    judged = qrels.query_ids if isinstance(qrels, Qrels) else qrels
    is_query = isinstance(judged, (dict, tuple)) and name in judged
    from rankmark.verbs.evaluate.given_runs import given_system, trials_in  # noqa: PLC0415

    if is_query or not trials_in(runs, are_files=True):
        return None
    return given_system(runs, {}).runs


def evaluated(qrels: Any, run: Any, asked: Asked, reading: Reading, seen: Any = None) -> Evaluation:
    """Evaluate a run; ``qrels``, ``run``, ``seen`` and errors are those of ``evaluate``."""
    requested, profile = asked.measures, asked.profile
    given_qrels = qrels
    if is_nothing(qrels):
        qrels, (run,), reading = unjudged([run], asked, reading)
    pair = matched(qrels, run, asked, reading, seen)
    qrels, ranked = pair.qrels, pair.ranked
    alignment, facts, conventions = ranked.alignment, ranked.facts, ranked.conventions
    warn_of_mismatch(
        qrels,
        pair.unseen,
        alignment,
        facts,
        lambda labels: effect_of_labels(labels, pair, asked, reading),
    )
    rows = ranked.averaged()
    if conventions.refuses_ties(requested):
        ranked.refuse_ties(pair.unseen.name)
    usual = requested
    if asked.lists:
        requested = tuple(one for one in requested if one.depends_on != "run")
        usual = tuple(one for one in requested if one.depends_on != "lists")
    scores, errors = scored(usual, ranked)
    highest = alignment.of_ideal("highest", lambda: float(alignment.ideal_label.max(initial=0.0)))
    warn_of_rel(requested, highest)
    if len(alignment.retrieved) >= MANY_WITHOUT:
        relevant = has_relevant(requested, alignment)
        relevant = relevant if rows is None else relevant[rows]
        warn_of_no_relevant(requested, conventions, highest, relevant, qrels.name)
    whole = alignment
    alignment, is_reduced = keeping(whole, requested)
    alignment.clear_cache(ideals=qrels is not given_qrels)
    kept = KeptData(  # by position, as keywords cost time in small calls
        remembered(qrels, given_qrels, pair.options),
        remembered_run(pair.run, run, pair.options, facts),
        conventions,
        asked.needs,
        alignment,
        facts,
        requested if is_reduced else None,
        pair.seen,
        reading=reading.once_more(),
        corpus=pair.corpus,
    )
    has_others = conventions.of_measures or asked.anywhere
    budgets = Budgets(pair, kept.reading)
    own = _score_others(pair, kept, usual, scores, errors, budgets) if has_others else {}
    about = None if profile is None else _differences(profile, requested, whole, facts, rows)
    of_lists = None
    if asked.items:
        from rankmark.scoring.list_scores import score_lists  # noqa: PLC0415

        of_lists = score_lists(pair, kept, asked.measures, reading, budgets)
        scores = of_lists.beside(scores, requested)
        own |= of_lists.own
        errors |= of_lists.errors
    elif reading is not AS_USUAL:
        reading.refuse_items()
    evaluation = Evaluation(
        kept=kept._replace(own=own) if own else kept,
        measures=requested,
        asked=asked.names,
        scores=scores,
        rows=rows,
        errors=errors,
        profile=about,
    )
    if of_lists is not None:
        together = of_lists.together(asked.measures, conventions)
        evaluation.left_out, evaluation.of_items = together.of_run, of_lists.read
    evaluation.list_notes = tuple(budgets.notes) if of_lists is None else together.notes
    if asked.lists or reading.user_groups is not None or pair.corpus is not None:
        _add_known(evaluation, asked, reading, given_qrels, pair.corpus)
    if is_reduced:
        evaluation.unsaid_rel = unsaid_rel(requested, whole)
        evaluation.out_of_reach = out_of_reach(requested, whole, rows)
    return evaluation


def _score_others(
    pair: MatchedRun,
    kept: KeptData,
    measures: Sequence[Measure],
    scores: Floats,
    errors: dict[Measure, Floats],
    budgets: Budgets,
) -> dict[Measure, KeptData]:
    """Score the measures with conventions, judgments or budgets of their own, in place."""
    own = score_own(pair, kept, measures, scores, errors) if kept.conventions.of_measures else {}
    return own | score_apart(pair, kept, measures, scores, errors, budgets)


def _add_known(
    evaluation: Evaluation, asked: Asked, reading: Reading, qrels: Any, corpus: Any
) -> None:
    """Add how a corpus was read, and gaps between groups of users."""
    if corpus is not None:
        of_corpus = {"corpus": {"documents": corpus.found.documents}}
        evaluation.of_items = {**evaluation.of_items, **of_corpus}
    if asked.lists or reading.user_groups is not None:
        from rankmark.verbs.evaluate.group_gaps import add_gaps  # noqa: PLC0415

        add_gaps(evaluation, asked.measures, reading.user_groups, qrels)


def _differences(profile: Any, measures: Any, a: Any, facts: Any, rows: Any) -> dict[str, Any]:
    """Describe the profile, and warn of what of it is not reproduced here."""
    from rankmark.profiles.conditions import conditions_met  # noqa: PLC0415
    from rankmark.profiles.known import profile as known  # noqa: PLC0415
    from rankmark.scoring.request import described  # noqa: PLC0415

    return described(profile, conditions_met(known(profile), measures, a, facts), rows)


def asked_of(
    measures: Iterable[AnyMeasure] | AnyMeasure | None, conventions: dict[str, Any]
) -> Asked:
    """Return what is asked by measures and the keywords of ``evaluate`` for conventions."""
    rel, profile = conventions.pop("rel", None), conventions.pop("profile", None)
    sampled = conventions.pop("sampled", None)
    asked = Asked.of(measures, Conventions(**conventions), rel, profile)
    return asked if sampled is None else asked.with_corrected(sampled)
