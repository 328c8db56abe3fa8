"""The base class of measures, parameters, ties, and the scoring of a single ranking.

It imports the alignment and explanations.
"""
