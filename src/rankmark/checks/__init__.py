"""What can be wrong with judgments and runs; each module finds one kind of problem.

Imports sources, scoring and results; ``rankmark.check`` combines the findings.
"""
