"""Scores of answers, and of what was retrieved for them; each folder is a function or two."""
