"""Answers that do not exist: ``abstention``, which judges when a system should return nothing.

``confidence`` finds how sure the run is of each query, ``curves`` has the formulas, and
``abstention_result`` the result and its plots.
"""
