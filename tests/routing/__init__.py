"""How questions are routed: examples of the rule, cases of the reference, stored recordings, single nodes."""
