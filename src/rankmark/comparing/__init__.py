"""Compare runs: ``compare`` and ``compare_*``, their results, tables and notes."""
