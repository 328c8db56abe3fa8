"""Judgments by subtopic, and judgments of several judges.

It imports the contract and the ids of sources.
"""
