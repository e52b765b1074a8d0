"""How it is run: the only code that touches disk, clock, processes and the terminal."""
