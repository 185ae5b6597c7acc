"""What an answer is: a page, or something that stands in its place. By precedence, not by score.

Marks that only a wall carries decide first, then the HTTP status, then media type and magic bytes, then emptiness, then wording
on a near-empty page. Nothing that also occurs on good pages counts against one.
"""

from __future__ import annotations

import re
from urllib.parse import SplitResult, urlsplit

from msgspec import Struct

from stages.net.media import HTML, Headers, charset_of, described, is_noise, is_readable, media_type_of, sniffed
from stages.text.magic import DOCUMENTS
from stages.text.markup import Glance, decode, folded, glance
from stages.text.phrases import CHALLENGE_WORDS, CONSENT_WORDS, LOGIN_DEMANDS, LOGIN_WORDS, NOT_FOUND_WORDS, PAYWALL_WORDS
from stages.text.walls import NEAR_EMPTY_CHARACTERS, Seen, wall_in
from stages.vocabulary import Outcome

MARKER_BYTES = 64 << 10
_WORDLESS_CHARACTERS, _SHELL_CHARACTERS, _LOGIN_CHARACTERS, _NOT_FOUND_CHARACTERS, _ISLAND_CHARACTERS = 20, 200, 400, 1200, 400
_HINTS = {401: "login", 402: "payment", 451: "legal"}
_SHELL = re.compile(
    r"""<discourse-assets|id=["']?(?:data-discourse-setup|root|app|__next|__nuxt|___gatsby|svelte|main-app)["'\s>]|__NEXT_DATA__|<app-root"""
)
_SCRIPTED = re.compile(r"<script|modulepreload|<[a-z]{1,30}-[a-z]", re.IGNORECASE)
_NEEDS_SCRIPT = re.compile(r"<noscript[^>]{0,200}>[^<]{0,200}(?:<[^>]{0,200}>[^<]{0,200}){0,8}javascript", re.IGNORECASE)
_ISLAND_TEXT = re.compile(r'"((?:[^"\\\s]{1,60}\s){8}[^"\\]{0,4000})')
_PARTIAL = re.compile(r"""isaccessibleforfree["']?\s*:\s*["']?false|class=["'][^"']{0,80}paywall""", re.IGNORECASE)
_PAYWALL = re.compile(PAYWALL_WORDS)
_TITLE_PARTS = re.compile(r"\s*[|\u2013\u2014\u00b7\u00bb:]\s*|\s+-\s+")
_ERROR_PATH = re.compile(r"/(?:404|error|errors|not-?found|page-?not-?found)(?:\.\w{2,5})?/?", re.IGNORECASE)
_LOGIN_PATH = re.compile(
    r"/(?:login|log-in|log_in|logon|signin|sign-in|sign_in|authwall|sso|wp-login\.php)(?:[/.]|$)", re.IGNORECASE
)
_LOGIN_HOST = re.compile(r"(?:accounts?|login|signin|auth|sso|idp|passport)\.", re.IGNORECASE)
_HOME = re.compile(r"/(?:index\.\w{2,5}|home|[a-z]{2}(?:-[a-z]{2})?)?/?", re.IGNORECASE)
_DEEP_SEGMENTS = 2
_LOGIN_OUTSIDE_CHARACTERS, _LOGIN_PAGE_CHARACTERS, _BARE_CHARACTERS = 150, 1500, 300
_TITLED_CHARACTERS, _SAYING_CHARACTERS = 3000, 200


class Verdict(Struct, frozen=True):
    """`vendor` names the wall's maker where that is known; `hint` says more: a media type, `partial`, `soft_404`."""

    outcome: Outcome
    vendor: str = ""
    hint: str = ""


def classify(status: int, headers: Headers, body: bytes, url: str = "", asked: str = "") -> Verdict:
    """Judge an answer. Headers have lower-case names; the body is decoded from content codings.

    `url` is the final one, `asked` the one before all redirects.
    """
    media = sniffed(media_type_of(headers), body)
    charset = charset_of(headers)
    markup = media in HTML
    seen = Seen(
        status=status,
        headers=headers,
        source=decode(body[:MARKER_BYTES], charset) if markup else "",
        glance=glance(body, charset) if markup else Glance(),
        url=url,
        asked=asked or url,
    )
    wall = wall_in(seen)
    if wall is not None:
        return Verdict(wall.outcome, wall.vendor)
    if not 200 <= status < 300 or status in (204, 205):  # noqa: PLR2004 (the classes of HTTP status)
        return _by_status(status)
    if not body.strip():
        return Verdict("empty")
    if not is_readable(media) or (media not in DOCUMENTS and is_noise(body)):
        return Verdict("unsupported_content", hint=described(media, body))
    return _by_content(seen, body) if markup else _by_line(media, body)


def _by_status(status: int) -> Verdict:
    if status in (204, 205):
        return Verdict("empty")
    if status in (404, 410):
        return Verdict("not_found")
    if status == 429:  # noqa: PLR2004
        return Verdict("rate_limited")
    if status in (408, 425) or 500 <= status < 600:  # noqa: PLR2004
        return Verdict("server_error")
    if 400 <= status < 500:  # noqa: PLR2004
        return Verdict("blocked", hint=_HINTS.get(status, ""))
    return Verdict("unknown")


def _by_content(seen: Seen, body: bytes) -> Verdict:
    """A page with a good status may still be something else."""
    size = len(seen.glance.text)
    if seen.glance.fallback >= NEAR_EMPTY_CHARACTERS:
        return Verdict("ok", hint="noscript")
    worded = _by_wording(seen, size)
    if worded is not None:
        return worded
    if size < _SHELL_CHARACTERS and _needs_script(seen.source, size):
        return Verdict("ok", hint="data_island") if _has_island(body) else Verdict("needs_browser", hint="js_required")
    if size == 0:
        return Verdict("empty")
    return Verdict("ok", hint="partial" if _is_partial(seen) else "")


def _is_partial(seen: Seen) -> bool:
    """Whether the rest is for those who pay. Plain searches come first, since most pages hold neither word."""
    source = seen.source.lower()
    marked = ("isaccessibleforfree" in source or "paywall" in source) and _PARTIAL.search(source) is not None
    return marked or _PAYWALL.search(seen.glance.text.lower()) is not None


def _by_line(media: str, body: bytes) -> Verdict:
    """A text of one short line may be all that a server has to say."""
    line = body[:_BARE_CHARACTERS].decode("utf-8", "replace").strip() if media == "text/plain" else ""
    return Verdict("not_found", hint="soft_404") if _whole(NOT_FOUND_WORDS, _TITLE_PARTS.split(folded(line))) else Verdict("ok")


def _by_wording(seen: Seen, size: int) -> Verdict | None:
    """What a short page says of itself; a long one may say anything."""
    looked = seen.glance
    parts = [*_TITLE_PARTS.split(looked.title), *looked.headings]
    if size < NEAR_EMPTY_CHARACTERS and re.search(CHALLENGE_WORDS, f"{looked.title} {looked.text}", re.IGNORECASE):
        return Verdict("challenge")
    if _is_soft_404(seen, size):
        return Verdict("not_found", hint="soft_404")
    if _is_login(seen, size, parts):
        return Verdict("login", hint="login")
    host = urlsplit(seen.url).netloc
    if size < NEAR_EMPTY_CHARACTERS and looked.fields and (host.startswith("consent.") or _whole(CONSENT_WORDS, parts)):
        return Verdict("consent", hint="consent")
    return None


def _is_soft_404(seen: Seen, size: int) -> bool:
    """Title or heading says so on a short page, both say so on a longer one, or a deep address led to an error's or home."""
    place, asked = urlsplit(seen.url), urlsplit(seen.asked)
    titled = _whole(NOT_FOUND_WORDS, _TITLE_PARTS.split(seen.glance.title))
    headed = _whole(NOT_FOUND_WORDS, [part for line in seen.glance.headings for part in (line, *_TITLE_PARTS.split(line))])
    if (titled and headed and size < _TITLED_CHARACTERS) or ((titled or headed) and size < _NOT_FOUND_CHARACTERS):
        return True
    if _ERROR_PATH.fullmatch(place.path) and (size < _NOT_FOUND_CHARACTERS or place.path != asked.path):
        return True
    same_host = place.netloc.removeprefix("www.") == asked.netloc.removeprefix("www.")
    deep = len([part for part in asked.path.split("/") if part]) >= _DEEP_SEGMENTS and not _HOME.fullmatch(asked.path)
    return same_host and deep and place.path in ("", "/") and not place.query


def _is_login(seen: Seen, size: int, parts: list[str]) -> bool:
    """A form for a password and hardly anything else, or a page that says that it is one."""
    looked, place = seen.glance, urlsplit(seen.url)
    says = _whole(LOGIN_WORDS, parts)
    if _sent_to_login(place, urlsplit(seen.asked)) and size < _LOGIN_PAGE_CHARACTERS and (looked.fields or says):
        return True
    if looked.password and size >= _WORDLESS_CHARACTERS:
        named = says or _LOGIN_PATH.search(place.path) is not None
        return size < _LOGIN_PAGE_CHARACTERS if named else looked.outside < _LOGIN_OUTSIDE_CHARACTERS
    if says and looked.fields:
        return _WORDLESS_CHARACTERS <= size < _LOGIN_CHARACTERS
    told = " ".join((looked.title, *looked.headings, looked.text))
    return size < _BARE_CHARACTERS and re.search(LOGIN_DEMANDS, told, re.IGNORECASE) is not None


def _sent_to_login(place: SplitResult, asked: SplitResult) -> bool:
    """Whether redirects led to an address of logins; whoever asks for such a page may want what it says."""
    by_path = place.path != asked.path and _LOGIN_PATH.search(place.path) is not None
    return by_path or (place.netloc != asked.netloc and _LOGIN_HOST.match(place.netloc) is not None)


def _needs_script(source: str, size: int) -> bool:
    """Whether a page of few words is drawn by script: a known root element, a plea in noscript, or no word at all."""
    wordless = size < _WORDLESS_CHARACTERS and _SCRIPTED.search(source) is not None
    return wordless or bool(_SHELL.search(source) or _NEEDS_SCRIPT.search(source))


def _whole(words: str, parts: list[str]) -> bool:
    short = (part.strip(" .!?…") for part in parts if len(part) <= _SAYING_CHARACTERS)
    return any(re.fullmatch(words, part, re.IGNORECASE) for part in short)


def _has_island(body: bytes) -> bool:
    """Whether a shell brings its text along as data: sentences in JSON strings."""
    source = decode(body[: MARKER_BYTES * 8])
    start = source.find("application/json")
    return start >= 0 and sum(len(match[1]) for match in _ISLAND_TEXT.finditer(source, start)) >= _ISLAND_CHARACTERS


__all__ = ["Verdict", "classify"]
