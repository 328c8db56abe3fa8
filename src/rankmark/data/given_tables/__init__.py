"""Tables that features read: scores, spans, calls, nuggets, citations, attributes of queries.

It imports the files and frames of sources, and what these import.
"""
