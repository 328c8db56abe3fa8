"""Compare the rankings of two runs: ``compare_rankings``, and ``rankmark similarity``."""
