"""Exact values of small games, by dynamic programming."""
