"""Judgments by subtopic, and judgments of several assessors.

It imports the contract and the ids of sources.
"""
