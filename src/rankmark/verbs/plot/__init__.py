"""Plots of evaluations and comparisons: the kinds of plot, their numbers and captions.

``kinds`` lists the kinds. ``evaluation_plots`` draws them by rank (from ``numbers_by_rank``) and by
query, ``comparison_plots`` by comparison. ``rankmark.results.drawing`` puts them on Axes. Results
have methods for plots, so this lies below them.
"""
