"""A table of columns in the core, and which of its columns holds what.

It imports the contract and the ids of sources.
"""
