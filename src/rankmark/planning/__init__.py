"""Find how many queries are needed: ``power`` and ``gate_power``."""
