"""What one does with judgments and runs: evaluate, explain, check, compare, convert.

It imports every room below; each verb is a module.
"""
