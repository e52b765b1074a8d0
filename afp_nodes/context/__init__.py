"""Context: what was available to each model call, what was sent with it, and what was not.

Read in this order: `calls` and `events` (what the record shows), `compositions` and `committed` (the two sources of
a call's context), `sent` and `offered` (the two sides), `sights` (how well each side is shown), `missing` (the
difference). Rule: product contract, section 9.
"""
