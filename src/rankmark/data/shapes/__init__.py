"""What search engines, workbenches, traces and RAG tools write: one table, and one walker."""

# The parts are imported from their own modules.
