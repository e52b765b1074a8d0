"""The fleet: nodes over the tables of all recorded runs together, made whole with each snapshot."""
