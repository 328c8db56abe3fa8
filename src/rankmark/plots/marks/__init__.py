"""Marks on matplotlib Axes, drawn from plain arrays and words.

It knows nothing of evaluations, and it alone imports matplotlib.
"""
