"""Decide whether a run may replace another: ``gate``.

The signature of ``gate`` declares every option, ``gate_conditions`` and ``gate_config`` read what
is asked, ``gated_systems`` evaluates, and ``gate_decisions`` decides. ``gate_result`` is the
verdict and its forms; ``condition_result`` and ``decided_gate`` put it into words.
"""
