"""Pictures of evaluations: the kinds of picture, their numbers and their captions.

It imports scoring and measures; only plots.marks speaks to matplotlib.
"""
