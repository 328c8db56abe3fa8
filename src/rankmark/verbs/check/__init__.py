"""Look for mistakes in judgments and runs: ``check``.

What is looked for lies in a file for each kind: ``content`` of a file, ``row_findings``,
``ranking`` of a run, ``judged_overlap`` of both. ``finding`` says what a finding is,
``consequence`` what it does to the measures, and ``check_report`` writes all of it.
"""
