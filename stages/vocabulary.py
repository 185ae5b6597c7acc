"""The closed lists of words that records use: one vocabulary everywhere, so that every reader can count on it."""

from __future__ import annotations

from typing import Literal

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
