"""Write the report, a comparison as one HTML page: ``write_report``.

``page_data`` collects what the page contains, with ``page_tables`` and ``page_lists``; ``page`` has
its template, style and script.
"""
