"""What users did, and what that says of rankings: ``compare_online_offline``, past experiments."""
