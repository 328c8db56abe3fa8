"""Find how many queries are needed: ``power`` of a test, and ``gate_power`` of a gate.

Their results are in ``detectable`` and ``planned_gate``.
"""
