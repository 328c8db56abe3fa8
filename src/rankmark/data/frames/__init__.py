"""Frames, series, records and dicts of columns: forms with named columns.

It imports the arrays of sources, and what these import.
"""
