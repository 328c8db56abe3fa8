"""The results of the public functions: evaluations, comparisons, and their audits.

Imports scoring, plots and formatting.
"""
