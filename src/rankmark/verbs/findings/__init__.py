"""What a check finds, a file a subject: bytes, rows, labels, rankings, and where sides meet."""
