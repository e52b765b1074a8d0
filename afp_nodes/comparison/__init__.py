"""Two runs side by side: what each record shows of its loops, and what is the same, differs or is not known.

Rule: product contract, section 4.
"""
