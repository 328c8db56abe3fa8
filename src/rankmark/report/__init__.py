"""Evaluations as people and programs read them: tables in several formats, whole files."""
