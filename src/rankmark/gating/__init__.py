"""Decide whether a run may replace another: ``gate``, its conditions, verdicts and texts."""
