"""Judgments by subtopic, and judgments of several judges.

It imports the contract, ids and tables of sources.
"""
