"""Text tables, widths of letters, and per-query scores as data frames and JSON.

Nothing here knows what the numbers mean. It imports errors only.
"""
