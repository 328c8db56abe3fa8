"""Write the HTML report, and tables for papers: ``write_report``."""
