"""Frames, records, columns and sparse matrices, which become one table in the core.

It imports the contract and the ids of sources.
"""
