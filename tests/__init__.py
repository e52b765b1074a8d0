"""Tests of afp-fleet, by purpose: examples, laws, goldens, and the parts on their own."""
