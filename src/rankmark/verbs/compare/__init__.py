"""Compare runs: ``compare``, ``compare_scores`` and ``p_mrr``.

``compare`` makes a ``comparison`` out of means (``standings``) and tests (``run_differences``).
How it is shown begins in ``comparison_display``: its tables (``comparison_layout``,
``comparison_tables``), the lines below them (``comparison_legend``, ``comparison_notes``) and its
plots (``plot_comparison``).
"""
