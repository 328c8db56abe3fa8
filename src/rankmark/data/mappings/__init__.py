"""Mappings, lists, sets and hits by query, as Python code holds them.

It imports the contract, ids, tables and judgments of sources.
"""
