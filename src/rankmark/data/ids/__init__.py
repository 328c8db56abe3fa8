"""Ids, numbers and arrays converted for the core, and reasons why ids fail to match.

It imports the contract of sources.
"""
