"""Signs: the marks a record sets into its texts, between the segments of a path and in place of a redacted value."""

PATH_SEPARATOR = "\x1f"
"""What joins the segments of a path."""

PLACEHOLDERS = frozenset({"REDACTED", "[REDACTED]"})
"""What stands where a value was taken out: the one in logs, the other in states and events."""

PLACEHOLDERS_JSON = frozenset(f'"{placeholder}"' for placeholder in PLACEHOLDERS)
"""The same as JSON text."""
