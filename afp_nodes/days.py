"""Days of a timezone as moments: a day may have 23 or 25 hours, or begin after midnight."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

ONE_DAY = timedelta(days=1)


def day_begins(day: date, timezone: str) -> datetime:
    """The first moment of a day."""
    return datetime.combine(day, time(), ZoneInfo(timezone)).astimezone(UTC)
