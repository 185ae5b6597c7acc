"""Digests by which a text is known again."""

from __future__ import annotations

from hashlib import sha256


def text_sha256(text: str) -> str:
    """What `Provenance.document_sha256` holds."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
