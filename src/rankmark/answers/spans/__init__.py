"""Measure retrieved spans of documents against gold spans: ``evaluate_spans``, ``judge_spans``.

The measures are those of ``rankmark.measures.spans``; the command is ``rankmark spans``.
"""
