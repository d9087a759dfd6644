"""How fast the program is, and its behaviour as one number."""
