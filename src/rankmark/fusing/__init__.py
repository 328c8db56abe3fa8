"""Fuse runs into one: ``fuse`` and the command ``fuse``.

How it works: ``sources.prepared.united_runs.unite_runs`` reads the runs, ranks the documents of
each query (``ties``, ``depth``, ``lower_better``), and the core finds each document of the lists
once. ``UnitedRuns.parts`` gives the queries in parts; ``UnitedPart.lists``, UnitedLists of
``alignment/united_lists.py``, has the ranks, scores and presence of all documents in all lists as
NumPy arrays of shape (m runs, U documents), query behind query. ``Ballots`` (``ballots.py``) adds
weights, norms (``norms.py``) and points for ranks, and a Method (``method.py``, ``methods/``) is a
formula over it: it returns what each list contributes, (m, U), or fused scores, (U,) float64.

``inputs.py`` checks what ``fuse`` is given, ``fusion.py`` combines all of this: ``Fusion.united``
reads, ``Fusion.scored`` yields each part with its ballots and fused scores. ``FusedRun`` is the
result: a Run, with its audit, which knows the runs that it was made of and can make its Fusion
again. ``presets.py`` has what search engines do.
"""
