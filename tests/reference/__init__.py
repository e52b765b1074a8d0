"""Every printed example of the record format, as data, held against the oracle and against the product.

`notation` writes small records the way the format's examples do. The modules named for a part of the format hold
its examples and nothing else; the two test modules ask the same questions of the oracle and of the product.
"""
