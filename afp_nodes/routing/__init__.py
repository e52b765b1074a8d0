"""Routing: how the question of a turn came to a skill, and whether the decided skill reached the model.

Read in this order: `events` (what routing reads of a run's own events), `verdicts` (who decided, and on what),
`deliveries` (which skills the prompt held, and the proof that none is missing), `refusals`, `outcomes` (the row of each
run). Rules: assessment and routing, sections 12.1, 12.2, 12.3, 12.4 and 13 to 16.
"""
