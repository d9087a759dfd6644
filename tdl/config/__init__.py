"""What can be configured: keys, types, checks, and what is built from them."""
