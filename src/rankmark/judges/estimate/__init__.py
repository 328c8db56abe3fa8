"""Estimate from few labels of people and many of a model: ``estimate`` and ``choose_queries``.

``estimate`` has prediction-powered means and differences of runs, and its command is
``rankmark estimate``; ``choose_queries`` draws the queries that people are to judge, and its
command is ``rankmark choose``.
"""
