"""Measures of a run: one number from all of its lists, which no query has by itself.

How much of a catalogue the lists reach is known of all lists together only, so such a number is
never a mean over queries. ``run_measure`` is what all derive from.
"""
