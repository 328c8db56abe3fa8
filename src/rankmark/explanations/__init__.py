"""Where a number comes from: what each document contributes, and how two numbers differ.

It imports the alignment and formatting; measures hand it their contributions.
"""
