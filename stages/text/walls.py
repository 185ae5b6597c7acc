"""The marks by which walls are told from pages: one row a kind, read from top to bottom.

A row's conditions must all hold. What vendors also put into good pages (`cf-ray`, `_abck`, Turnstile widgets, `x-datadome:
protected`) is left out on purpose, and a mark that an article may quote counts on a short page only. Pages that were fetched and
the answers of search engines are judged by the same rows.
"""

from __future__ import annotations

import re

from msgspec import Struct, field

from stages.text.markup import Glance
from stages.text.phrases import MOMENT_WORDS
from stages.vocabulary import Outcome

NEAR_EMPTY_CHARACTERS = 600
_SHORT_CHARACTERS = 1500
_FORBIDDEN = frozenset({401, 403, 405, 406, 429, 503})


class Seen(Struct, frozen=True):
    """An answer as the rows look at it. `source` is the start of its markup, empty when it is none."""

    status: int
    headers: tuple[tuple[str, str], ...]
    source: str = ""
    glance: Glance = field(default_factory=Glance)
    url: str = ""
    asked: str = ""


class Wall(Struct, frozen=True):
    """One kind of wall: `mark` is looked for in the markup, `words` in title and visible text, `header` in `name: value`."""

    vendor: str
    outcome: Outcome
    header: str = ""
    mark: str = ""
    words: str = ""
    statuses: frozenset[int] = frozenset()
    under: int = 0
    """Only where visible text is shorter; 0 is any length."""

    def matches(self, seen: Seen) -> bool:
        """Whether every condition holds."""
        shown = f"{seen.glance.title} {seen.glance.text}"
        return (
            (not self.statuses or seen.status in self.statuses)
            and (not self.under or len(seen.glance.text) < self.under)
            and (not self.header or any(_search(self.header, f"{name}: {value}") for name, value in seen.headers))
            and (not self.mark or _search(self.mark, seen.source))
            and (not self.words or _search(self.words, shown))
        )


def _search(pattern: str, text: str) -> bool:
    return re.search(pattern, text, re.IGNORECASE) is not None


_EMPTY, _SHORT = NEAR_EMPTY_CHARACTERS, _SHORT_CHARACTERS

WALLS: tuple[Wall, ...] = (
    Wall("cloudflare", "challenge", header=r"^cf-mitigated: challenge"),
    Wall("cloudflare", "rate_limited", words=r"error (?:code: )?1015\b.{0,80}rate limited", under=_SHORT),
    Wall("cloudflare", "blocked", mark=r"""data-translate=["']?block_headline""", under=_SHORT),
    Wall("cloudflare", "blocked", words=r"sorry, you have been blocked.{0,400}(?:unable to access|cloudflare)", under=_SHORT),
    Wall("cloudflare", "blocked", words=r"error (?:code: )?(?:1020|100[6-9]|101[0-2])\b", statuses=_FORBIDDEN, under=_SHORT),
    Wall("cloudflare", "challenge", mark=r"_cf_chl_opt|cf-browser-verification|/orchestrate/[cjm]", under=_EMPTY),
    Wall("cloudflare", "challenge", words=r"^attention required! \| cloudflare", under=_SHORT),
    Wall("cloudflare", "challenge", words=rf"^(?:{MOMENT_WORDS})\s?(?:\.\.\.|…)", header=r"^cf-ray:", under=_EMPTY),
    Wall("cloudflare", "challenge", words=rf"^(?:{MOMENT_WORDS})\s?(?:\.\.\.|…)", statuses=_FORBIDDEN, under=_EMPTY),
    Wall("cloudflare", "challenge", mark=r"""src=["']/cdn-cgi/bm/cv/""", under=50),
    Wall("akamai", "challenge", mark=r"sec-if-cpt-container|behavioral-content", under=_EMPTY),
    Wall("akamai", "challenge", words=r"powered and protected by\s+akamai", under=_EMPTY),
    Wall("akamai", "blocked", words=r"access denied.{0,400}(?:reference\s*#\s*\d+\.|errors\.edgesuite\.net)", under=_SHORT),
    Wall("akamai", "blocked", header=r"^server: akamaighost", statuses=frozenset({403}), under=_SHORT),
    Wall("datadome", "blocked", mark=r"""var dd\s*=[^<]{0,2000}['"]t['"]\s*:\s*['"]bv['"]""", under=_EMPTY),
    Wall("datadome", "challenge", header=r"^x-dd-b:"),
    Wall("datadome", "challenge", mark=r"var dd\s*=[^<]{0,2000}captcha-delivery\.com", under=_EMPTY),
    Wall("human", "challenge", mark=r"""id=["']?px-captcha|_pxcaptcha|captcha\.px-c(?:dn|loud)\.net""", under=_EMPTY),
    Wall("human", "challenge", words=r"access to this page has been denied|^robot or human\?", under=_EMPTY),
    Wall("human", "challenge", words=r"press (?:&|and) hold to confirm", under=_EMPTY),
    Wall("imperva", "challenge", words=r"pardon our interruption", under=_SHORT),
    Wall("imperva", "blocked", mark=r"incapsula incident id", under=_EMPTY),
    Wall("imperva", "challenge", mark=r"/_incapsula_resource\?", under=200),
    Wall("aws-waf", "challenge", header=r"^x-amzn-waf-action: (?:challenge|captcha)"),
    Wall("aws-waf", "challenge", mark=r"""awswaf\.com/[^"'\s]{0,300}(?:challenge|captcha)\.js""", under=_EMPTY),
    Wall("aws-waf", "challenge", mark=r"awswafcookiedomainlist", under=_EMPTY),
    Wall("cloudfront", "blocked", words=r"the request could not be satisfied", statuses=frozenset({403}), under=_SHORT),
    Wall("sucuri", "blocked", header=r"^x-sucuri-block:"),
    Wall("sucuri", "blocked", words=r"sucuri website firewall", statuses=_FORBIDDEN, under=_SHORT),
    Wall("sucuri", "challenge", mark=r"sucuri_cloudproxy_js", under=_EMPTY),
    Wall("anubis", "challenge", mark=r"""<script[^>]{0,80}id=["']?anubis_challenge"""),
    Wall("anubis", "challenge", mark=r"""(?:src|href)=["'][^"']{0,200}/\.within\.website/x/cmd/anubis/""", under=2 * _SHORT),
    Wall("anubis", "challenge", header=r"^location: [^?]{0,200}/\.within\.website/"),
    Wall("ddos-guard", "challenge", mark=r"/\.well-known/ddos-guard/|<title>ddos-guard", under=_EMPTY),
    Wall("kasada", "challenge", header=r"^x-kpsdk-(?:ct|r|im):", statuses=frozenset({403, 429})),
    Wall("kasada", "challenge", mark=r"window\.kpsdk|/149e9513-[0-9a-f-]{20,40}/", under=200),
    Wall("f5", "blocked", words=r"the requested url was rejected.{0,200}support id", under=_EMPTY),
    Wall("f5", "challenge", mark=r"""window\[["']bobcmn["']\]|["'/]tspd/""", under=_EMPTY),
    Wall("vercel", "challenge", header=r"^x-vercel-mitigated: challenge"),
    Wall("vercel", "challenge", words=r"vercel security checkpoint", under=_EMPTY),
    Wall("google", "rate_limited", words=r"unusual traffic from your computer network", under=_SHORT),
    Wall("linkedin", "blocked", statuses=frozenset({999})),
    Wall("reddit", "blocked", words=r"blocked by network security|whoa there, pardner", under=_SHORT),
    Wall("queue-it", "challenge", header=r"^location: https?://[^/]{0,100}queue-it\.net/"),
    Wall("queue-it", "challenge", words=r"you are now in line|you are in (?:the )?(?:queue|waiting room)", under=_EMPTY),
    Wall("fastly", "challenge", mark=r"/_fs-ch-[0-9a-zA-Z]{4}", under=_EMPTY),
    Wall("siteground", "challenge", mark=r"/\.well-known/(?:sg)?captcha/", under=_EMPTY),
    Wall("imunify360", "challenge", words=r"imunify360|bot-protection", under=_EMPTY),
    Wall("aliyun", "challenge", mark=r"acw_sc__v[23]|aliyun_waf", under=200),
    Wall("radware", "challenge", mark=r"validate\.perfdrive\.com|radware captcha", under=_EMPTY),
    Wall("wordfence", "blocked", words=r"generated by wordfence|your access to this site has been limited", under=_SHORT),
    Wall("fortinet", "blocked", words=r"web page blocked.{0,300}attack id", under=_SHORT),
    Wall("duckduckgo", "challenge", mark=r"""class=["']anomaly-modal""", under=_EMPTY),
    Wall("yandex", "challenge", mark=r"smartcaptcha|/showcaptcha", under=_EMPTY),
    Wall("", "challenge", mark=r"""class=["'](?:[gh]-(?:re)?captcha|cf-turnstile)""", statuses=_FORBIDDEN, under=_EMPTY),
)  # fmt: skip


_BY_HEADERS = tuple(wall for wall in WALLS if wall.header and not wall.words and not wall.under)
_BY_BODY = tuple(wall for wall in WALLS if wall.mark or wall.words)


def wall_in(seen: Seen) -> Wall | None:
    """The wall that this is, if it is one."""
    return next((wall for wall in WALLS if wall.matches(seen)), None)


def wall_by_headers(seen: Seen) -> Wall | None:
    """The wall that status and headers give away, whatever the body says."""
    return next((wall for wall in _BY_HEADERS if wall.matches(seen)), None)


def wall_by_body(seen: Seen) -> Wall | None:
    """The wall whose markup or words stand in the body."""
    return next((wall for wall in _BY_BODY if wall.matches(seen)), None)


__all__ = ["NEAR_EMPTY_CHARACTERS", "Seen", "Wall", "wall_by_body", "wall_by_headers", "wall_in"]
