"""Text that an image draws by reference: what is used is seen where and as the reference says. Each checked in Chromium."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

from painted_cases import judged_alike, shows

SYMBOL = "<svg width=0 height=0><symbol id=s><text x=10 y=20>@</text></symbol></svg>"
DEFINED = "<svg width=300 height=50><defs><text id=t x=10 y=20>@</text></defs>"
SEEN = [(css, html) for css, html in [
    ("", SYMBOL + "<svg width=300 height=50><use href=#s /></svg>"),
    ("", SYMBOL + "<svg width=300 height=50><use xlink:href=#s /></svg>"),
    ("", "<svg width=300 height=50><symbol id=s viewBox='0 0 300 50'><text x=10 y=20>@</text></symbol><use href=#s width=300 height=50 /></svg>"),
    ("", DEFINED + "<use href=#t /></svg>"),
    ("", DEFINED + "<use href=#t y=10 /></svg>"),
    ("", "<svg width=300 height=50><defs><g id=t><rect width=9 height=9 /><text x=10 y=20>@</text></g></defs><use href=#t /></svg>"),
    ("", "<svg width=300 height=50><defs><text id=t x=10 y=-20>@</text></defs><use href=#t y=40 /></svg>"),
    ("use{fill:navy}", DEFINED + "<use href=#t /></svg>"),
]]  # fmt: skip
HIDDEN = [(css, html) for css, html in [
    ("", SYMBOL),
    ("", DEFINED + "</svg>"),
    ("", DEFINED + "<use href=#other /></svg>"),
    ("", DEFINED + "<use href=#t opacity=0 /></svg>"),
    ("use{display:none}", DEFINED + "<use href=#t /></svg>"),
    ("use{visibility:hidden}", DEFINED + "<use href=#t /></svg>"),
    ("use{fill:white}", DEFINED + "<use href=#t /></svg>"),
    ("", DEFINED + "<use href=#t x=5000 /></svg>"),
    ("", DEFINED + "<use href=#t transform='translate(0,500)' /></svg>"),
    ("svg{display:none}", DEFINED + "<use href=#t /></svg>"),
]]  # fmt: skip


test_what_is_used_where_nobody_sees_it_goes, test_what_is_used_in_sight_stays, test_chromium_paints_the_same = judged_alike(
    HIDDEN, SEEN
)


def test_uses_of_uses_and_of_much_make_no_page_grow():
    bomb = "<svg><defs><text id=a>" + "lol " * 4000 + "</text>" + "".join(
        f"<g id=b{number}>{'<use href=#a />' * 10}</g>" for number in range(50)
    ) + "</defs>" + "<use href=#b1 />" * 50 + "</svg><p>@</p>"  # fmt: skip
    assert shows(("", bomb))


def test_hundreds_of_icons_before_it_take_no_text_away():
    icons = "<svg><symbol id=i><path d='M0 0h9v9z'/></symbol></svg>" + "<svg><use href=#i /></svg>" * 400
    assert shows(("", icons + DEFINED + "<use href=#t /></svg>"))
