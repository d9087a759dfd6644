"""`tdl.agents.selfplay` once more, compiled for CPUs with AVX2; `tdl.agents.kernels` chooses."""

include "selfplay.pyx"
