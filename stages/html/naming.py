"""What the class, id and role of a box say it is for: the words that themes and frameworks name the parts of a page by."""

from __future__ import annotations

import re
from functools import lru_cache

PURPOSES: dict[str, str] = {
    "navigation": r"nav(?!y)|menu|topbar|toolbar|breadcrumb|crumb",
    "header": r"header|masthead|(?<![a-z])head(?![a-z])",
    "footer": r"foot(?!note|ball|age|wear)|colophon|copyright|legal|disclaimer",
    "beside": r"side-?bar|aside|(?<![a-z])rail|secondary|complementary|widget",
    "comments": r"comment|disqus|respond|repl(?:y|ies)",
    "related": r"related|recommend|suggest|similar|also-?(?:like|view|bought)|read-?(?:next|more)"
    r"|more-?(?:from|stories|posts|articles)|popular|trending|upsell|cross-?sell|next-?post|prev|recirc|up-?next|latest|recent",
    "sharing": r"shar(?:e|ing)|social|follow|addthis|addtoany",
    "advert": r"promo|(?<![a-z])ads?(?![a-z])|advert|sponsor|outbrain|taboola|banner|affiliate",
    "sign-up": r"newsletter|subscri|sign-?(?:up|in)|log-?in|register|opt-?in|paywall",
    "over the page": r"modal|pop-?up|dialog|overlay|drawer|off-?canvas|lightbox|tooltip|dropdown|flyout|toast|alert|notif",
    "article": r"article|(?<![a-z])post(?!er|al|code)|entry|story|blog|news(?!letter)",
    "content": r"content|(?<![a-z])body|(?<![a-z])text(?![a-z])|prose|rich-?text|wysiwyg|markdown|(?<![a-z])rte(?![a-z])",
    "main": r"(?<![a-z])main(?![a-z])|primary",
    "product": r"product|(?<![a-z])pdp|price|sku|buy-?box|spec",
    "review": r"review|rating|testimonial|feedback|stars",
    "forum": r"forum|thread|topic|message|question|answer|discussion|(?<![a-z])qa(?![a-z])",
    "byline": r"author|byline|meta|(?<![a-z])date|timestamp|posted|published|(?<![a-z])bio(?![a-z])"
    r"|contributor|avatar|profile|signature",
    "tags": r"(?<![a-z])tags?(?![a-z])|taxonomy|categor(?:y|ies)|label|badge|pill",
    "search": r"search|filter|facet|(?<![a-z])sort|refine",
    "card": r"card|tile|grid|(?<![a-z])item|(?<![a-z])list|listing|results?|teaser|collection"
    r"|feed|archive|catalog|loop|carousel|slide|swiper",
    "folded": r"faq|accordion|collaps|(?<![a-z])tabs?(?![a-z])|tab-?pane|panel|toggle|expand",
    "media": r"caption|figure|gallery|image|photo|video|player|credit|thumbnail",
    "cart": r"cart|checkout|wishlist|basket|add-?to|(?<![a-z])buy|purchase|shipping|delivery|stock|swatch|variant",
    "contact": r"contact|address|location|phone|(?<![a-z])map|hours|store",
}
NUMBERS = {name: number for number, name in enumerate(PURPOSES)}
_PURPOSE = re.compile("|".join(f"(?P<p{number}>{pattern})" for number, pattern in enumerate(PURPOSES.values())))
MAX_NAMES = 400


@lru_cache(maxsize=8192)
def purposes(names: str) -> frozenset[int]:
    """What a box is for, as places in PURPOSES, by its class, id and role."""
    return frozenset(int((match.lastgroup or "p0")[1:]) for match in _PURPOSE.finditer(names[:MAX_NAMES].lower()))
