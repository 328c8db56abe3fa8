"""What verbs give: evaluations, comparisons, their audit and where they come from.

It imports scoring, plots and formatting.
"""
