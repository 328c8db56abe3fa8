"""Results as text, tables and data frames.

``result`` is the base of all results, and ``shown_result`` of those that declare what they show, in
``shown_parts``, which ``text_form`` and ``written_forms`` write; ``per_query`` has those of values
by query.
``plain_table``, ``marked_tables`` and ``text_tables`` write tables as text, Markdown, LaTeX and
HTML; ``table_schema`` makes columns and data frames; ``text_width`` fits lines to the terminal;
``run_names`` names runs; ``trade_off`` finds points that no other beats in two values.
"""
