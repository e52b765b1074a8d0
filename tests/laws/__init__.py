"""Laws: what holds of any recording, tried on random small ones."""
