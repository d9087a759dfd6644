"""Benchmarks of single parts of the program, each a script: `python -m experiments.benchmarks.NAME --help`."""
