"""`operations` once more, compiled for CPUs with AVX2, as self-play is; `tdl.agents.kernels` chooses."""

include "operations.pyx"
