"""Compare runs: ``compare``, ``compare_scores`` and ``p_mrr``.

``compare`` makes a ``comparison`` out of means (``means_and_intervals``) and tests
(``run_differences``), as ``compared_runs`` with ``compared_rows``. It is shown by its tables
(``comparison_layout``) and the lines below them (``comparison_legend``).
"""
