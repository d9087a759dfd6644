"""How files are written, so that no reader ever sees half of one."""
