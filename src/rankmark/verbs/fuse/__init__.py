"""Fuse runs into one: ``fuse`` and the command ``fuse``.

How it works: united_runs in the sources reads the runs, ranks the documents of each query, and the
core finds each document of their lists once; it gives the queries in parts, as UnitedLists of the
alignment: ranks, scores and presence of all documents in all lists, (m runs, U documents), query
behind query. ``ballots`` adds weights, ``norms`` and points for ranks. A Method, of ``method``, is
a formula over it, a family in each file of ``methods``: it returns what each list contributes,
(m, U) float64, or the fused scores, (U,).

``fused_inputs`` checks what is given, ``fusion`` puts all of this together: its united() reads,
its scored() yields each part with its ballots and fused scores, a ``ScoredPart``. The result, of
``fused_run``, is a Run with its ``fusion_audit``. It keeps its fusion, so that ``votes`` can fuse a
query again. ``presets`` says what search engines do; ``write_fused`` writes a file part by part.
"""
