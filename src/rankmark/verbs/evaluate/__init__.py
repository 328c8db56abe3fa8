"""Evaluate runs against judgments: ``evaluate``, ``Accumulator``, ``scorer``.

``evaluate`` makes an ``evaluation``, with its ``audit``; ``accumulate`` makes one of batches, and
``evaluate_runs`` several. ``result_tables``, ``provenance`` and ``notes`` write them. How several
runs, scores from elsewhere and attributes of queries are given is in ``given_runs``,
``given_scores``, ``given_evaluations`` and ``query_attributes``, for all features.
"""
