"""What may be wrong with judgments and runs: one file for each kind of finding.

It imports sources, scoring and results; the verb check puts the findings together.
"""
