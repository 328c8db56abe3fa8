"""Evaluate the lists of a run as a whole, without judgments: ``evaluate_lists``.

``evaluate_lists`` reads the run and the catalogue; the measures are in
``rankmark.measures.of_runs``. ``lists_evaluation`` is the result.
"""
