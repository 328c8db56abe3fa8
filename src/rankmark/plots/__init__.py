"""Plots of evaluations: the kinds of plot, their numbers and their captions.

It imports scoring and measures; only plots.marks imports matplotlib.
"""
