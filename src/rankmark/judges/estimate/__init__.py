"""Estimate from a few human labels and many LLM labels: ``estimate`` and ``choose_queries``.

``estimate`` has prediction-powered means and differences of runs, and its command is
``rankmark estimate``; ``choose_queries`` draws the queries that people are to judge, and its
command is ``rankmark choose-queries``.
"""
