"""From measures to values: ties without an order, bounds, aggregates, intervals, cutoffs.

It imports sources, measures and explanations.
"""
