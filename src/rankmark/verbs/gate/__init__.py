"""Decide whether a run may replace another: ``gate``.

``gate_options`` declares every option once, ``gate_conditions`` and ``gate_config`` read what is
asked, ``gated_systems`` evaluates, and ``gate_decisions`` decides; what is ``gateable`` decides
by itself. ``gate_result`` is the verdict; ``gate_reasons`` and ``gate_notes`` put it into
words, ``gate_formats`` on pages.
"""
