"""Marks on matplotlib Axes, drawn from arrays and texts; no other package imports matplotlib."""
