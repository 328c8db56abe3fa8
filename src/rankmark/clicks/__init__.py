"""What users did with rankings: logs of impressions and clicks, and what can be known from them."""
