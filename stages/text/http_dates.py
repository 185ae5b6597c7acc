"""Times in HTTP headers: a date, and how long `Retry-After` asks to wait."""

from __future__ import annotations

from datetime import UTC


def timestamp(text: str) -> float | None:
    """An HTTP date in Unix seconds; None for what is none."""
    from email.utils import parsedate_to_datetime

    try:
        found = parsedate_to_datetime(text)
        return (found if found.tzinfo else found.replace(tzinfo=UTC)).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def retry_after_secs(wanted: str, date: str) -> float | None:
    """What `Retry-After` asks for; None when it does not. A date counts from the answer's own `date`."""
    wanted = wanted.strip()
    if wanted.isascii() and wanted.isdigit():
        return float(wanted[:10])
    ends, made = timestamp(wanted), timestamp(date)
    return None if ends is None or made is None else ends - made
