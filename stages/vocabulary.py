"""The closed lists of words and the ranges of numbers that records use: one vocabulary, so that every reader can count on it."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta

WIRE = 1
VERSION = "0.1.0"
"""Of cribble; the package takes it from here."""

Outcome = Literal[
    "ok", "empty", "irrelevant", "challenge", "blocked", "login", "consent", "rate_limited", "robots", "refused",
    "not_found", "server_error", "unsupported_content", "too_large", "needs_browser", "network", "timeout", "deadline",
    "crashed", "replay_miss", "parse_changed", "unknown",
]  # fmt: skip

DropReason = Literal["duplicate", "over_limit", "over_budget", "low_score", "filtered", "unread"]

NoticeCode = Literal["lifted", "limit_lowered", "operator_ignored", "degraded", "guard_delegated", "unknown_type"]

ThreatKind = Literal[
    "hidden_css", "hidden_attribute", "hidden_template", "hidden_pdf", "report_truncated", "final_url_suppressed",
    "detection_degraded", "strip_incomplete", "zero_width", "bidi", "tag",
]  # fmt: skip

Count = Annotated[int, Meta(ge=0, le=2**53)]
"""A number or a place. What is larger is no count, and some readers of JSON would round it."""

Rank = Annotated[int, Meta(ge=1, le=2**53)]

Weight = Annotated[float, Meta(ge=0, le=1e6)]

Seconds = Annotated[float, Meta(ge=0, le=1e12)]
"""A span, or a time since 1970."""

AgentName = Annotated[str, Meta(pattern=r"^[A-Za-z_-]{0,64}(?![\s\S])")]
"""A product token of RFC 9309; it also goes into a header."""

Instant = Annotated[str, Meta(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z(?![\s\S])")]
"""ISO 8601 in UTC."""
