"""Follow a measure over records of evaluations: ``trend``."""
