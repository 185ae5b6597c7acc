"""Whether the settings can reach a network at all, before anything is asked: a slip there is the caller's, no site's."""

from __future__ import annotations

import ssl
from urllib.parse import urlsplit

from pipelines.config import Config
from stages.core.errors import UsageError

_ADDRESSES = ("proxy", "resolver", "searxng_url")


def check(config: Config) -> None:
    """Raises UsageError that names where the setting comes from; never its value, which may hold a password."""
    for name in _ADDRESSES:
        if not _is_address(getattr(config.flags, name)):
            raise UsageError(f"{config.origins[name]}: not an address such as http://host:port")
    bundle = config.flags.ca_bundle
    if not bundle:
        return
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT).load_verify_locations(bundle)
    except ssl.SSLError:
        raise UsageError(f"{config.origins['ca_bundle']}: {bundle} holds no certificates") from None
    except OSError as error:
        raise UsageError(f"{config.origins['ca_bundle']}: {bundle}: {error.strerror}") from None


def _is_address(text: str) -> bool:
    """Whether it is empty, or http:// or https:// with a host and no impossible port."""
    try:
        parts = urlsplit(text)
        return not text or (parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0)
    except ValueError:
        return False
