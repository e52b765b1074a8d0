"""Tests of the inputs: what is found, what is read of it, and what is said of the rest."""
