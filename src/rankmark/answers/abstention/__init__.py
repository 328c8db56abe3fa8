"""When a system should return nothing: ``abstention``.

``confidence`` finds how sure the run is of each query, ``curves`` has the formulas, and
``abstention_result`` the result and its plots.
"""
