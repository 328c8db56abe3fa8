"""Plots of runs, as files: ``rankmark plot``. How they are drawn is in ``rankmark.plots``."""
