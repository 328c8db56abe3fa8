"""Plots of evaluations and comparisons: the kinds of plot, their numbers and captions.

``kinds`` lists the kinds. ``evaluation_plots`` and ``comparison_plots`` draw them: by rank
(``drawn_by_rank``, from ``numbers_by_rank``), by query (``drawn_by_query``, from
``numbers_by_query``) or by comparison (``drawn_by_comparison``). ``rankmark.results.drawing``
puts them on Axes. Results have methods for plots, so this lies below them.
"""
