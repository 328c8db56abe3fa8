"""Results as text, tables and data frames.

``result`` is the base of all results, and ``shown_result`` of those that are shown as tables and
notes. ``plain_table``, ``marked_tables`` and ``text_tables`` write
tables as text, Markdown, LaTeX and HTML; ``table_schema`` and ``data_frames`` make columns and data
frames; ``text_width`` fits lines to the terminal; ``run_names`` and ``run_letters`` name runs.
"""
