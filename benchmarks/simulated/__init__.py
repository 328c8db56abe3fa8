"""Collections drawn from known populations, and how often statistics are wrong about them."""
