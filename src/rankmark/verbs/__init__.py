"""What you can do with judgments and runs: evaluate, explain, check, compare, convert.

Each function is a module, and may import every package below.
"""
