"""Measure approximate nearest-neighbour search against exact search: ``ann_recall``.

Its command is ``rankmark ann-recall``; ``ann_tradeoff`` shows what recall costs in queries per
second.
"""
