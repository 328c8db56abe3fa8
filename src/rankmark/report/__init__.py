"""Results as tables, and judgments and runs as files, in several formats.

Imports results; computes nothing.
"""
