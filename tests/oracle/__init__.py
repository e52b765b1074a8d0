"""A slow, plain reading of the rules, to hold the product against.

Every function here says one rule of the record format in ordinary Python, over one document at a time, without
frames and without regard for speed. Nothing is imported from the product, so an error would have to be made
twice, in two ways, to go unseen. Read in this order:

- `javascript`: values, member order, texts
- `recording`: documents, logs, trees
- `values`: folding and merging
- `reads`: the two readings of an execution tree
- `loops`: heads, frames, what a model call drew on
- `suspects`: the classifier and its ablation specs
- `lives`: timelines, forward slices, coverage
- `trace`: one variable, joined to loops and suspects
- `tables`: all of it as the rows the product publishes
- `routing`: apart from the log, how a question was routed
"""
