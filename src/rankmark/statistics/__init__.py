"""Statistics over arrays of scores a query; they know nothing of rankings."""
