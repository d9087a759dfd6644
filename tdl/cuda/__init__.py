"""Kernels for a graphics card: their text, their compiler, and what runs them."""
