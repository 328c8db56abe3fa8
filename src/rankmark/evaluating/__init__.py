"""Evaluate runs against judgments: ``evaluate``, ``Accumulator``, ``scorer``, and their results."""
