"""What tests share."""

PATIENCE = 400
"""Seconds after which a test gives up waiting: under sanitizers, on a busy machine, all takes many times as long."""
