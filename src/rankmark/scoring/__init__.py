"""From measures to numbers: ties without an order, bounds, aggregates, intervals, cutoffs.

It imports sources, measures and explanations; nothing here is shown to people.
"""
