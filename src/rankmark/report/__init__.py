"""Results as tables, and judgments and runs as files, in several formats.

It imports results; it computes nothing.
"""
