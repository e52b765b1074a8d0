"""Context: what was available to each model call, what was sent with it, and what was not."""
