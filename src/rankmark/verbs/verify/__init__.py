"""Compute a recorded result again, and show what changed: ``verify``.

What a record holds is in ``rankmark.results.records``.
"""
