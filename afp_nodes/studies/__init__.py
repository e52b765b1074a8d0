"""Studies: seeded probe runs, from the document that lists them to verdicts on what they changed.

Rules: product contract, section 6; record format, sections 20 and 22 to 24. Two halves. What a rule says of plain
values: `embedders` and `similarity` (how alike two answers are), `comparators` (whether an answer changed), `spreads`
and `rates` (numbers over the runs of a subject), `arms` (configurations and the manifests that vouch for them). And
the nodes that put them together: `stated`, `outcomes`, `probes`, `subjects`, `applications`, `costs`, `verdicts`.
"""
