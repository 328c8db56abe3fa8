"""Benchmarks as samples of tasks: ``leaderboard``, ranks of models with their uncertainty.

Its command is ``rankmark leaderboard``; ``statistics/resampled_ranks.py`` draws the tasks.
"""
