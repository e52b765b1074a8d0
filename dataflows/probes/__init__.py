"""Probes: from suspicion to cause. What to run again is planned, run by the user's own agent, and kept as studies.

Rule: product contract, section 7. `planning` reads a snapshot and `ranked` lines of a plan out of it; `plan_file` reads
them back; `runner` talks to one process of the user's; `results` is what survives a crash; `study_files` and
`recordings` are what `afp run` takes in; `running` puts them together.
"""
