"""Evaluations as people and programs read them: tables in several formats, and one file at a time."""
