"""Fuse runs into one: ``fuse`` and the command ``fuse``.

How it works: united_runs in the sources reads the runs, ranks the documents of each query, and the
core finds each document of their lists once; it gives the queries in parts, as UnitedLists of the
alignment: ranks, scores and presence of all documents in all lists, (m runs, U documents), query
behind query. Ballots, of ``method``, add weights, ``norms`` and points for ranks. A Method is a
formula over them, listed in ``methods``: it returns what each list contributes, (m, U) float64, or
the fused scores, (U,).

``fusion`` puts all of this together: its united() reads, its scored() yields each part with its
ballots and fused scores. The result, of ``fused_run``, is a Run with an audit. It keeps its fusion,
so that a query can be fused again. ``presets`` says what search engines do.
"""
