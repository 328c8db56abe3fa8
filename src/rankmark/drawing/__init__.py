"""Marks on Axes, of plain arrays and words: the only room that knows matplotlib."""
