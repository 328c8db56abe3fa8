"""Write the report, a comparison as one HTML page: ``write_report``.

``page_data`` collects what the page contains, from the files ``page_*``; ``page`` has its template,
style and script.
"""
