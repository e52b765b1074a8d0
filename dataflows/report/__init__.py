"""The report: what a fleet, or one night of it, comes to. HTML, Markdown and JSON are made of one set of rows.

Rule: product contract, sections 2 and 8. `parts` says what a report is made of, `sections` holds the questions,
`making` asks them of a snapshot, `writing` makes files of the answers.
"""
