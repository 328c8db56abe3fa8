"""Frames, series, records and dicts of columns: what has columns with names.

It imports the arrays of sources, and what these import.
"""
