"""Runs aligned with judgments, pairs of rankings, and the orders and probabilities of ties.

It imports errors, conventions, array types and the core.
"""
