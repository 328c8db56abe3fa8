"""Ids, numbers and arrays of any type as the core takes them, and why ids may fail to match.

It imports the contract of sources.
"""
