"""Compute a recorded result again, and show what changed: ``verify``."""
