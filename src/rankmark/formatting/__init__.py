"""Text tables, widths of text, and results as data frames and JSON.

It imports errors only.
"""
