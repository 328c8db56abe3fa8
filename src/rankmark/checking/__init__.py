"""Look for mistakes in judgments and runs: ``check``."""
