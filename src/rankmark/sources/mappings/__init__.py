"""Mappings, lists, sets and hits by query, as Python code holds them.

It imports the contract, ids and tables of sources.
"""
