"""Images and formulas written in a page, and what they refer to. Each checked in Chromium."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

from painted_cases import BOX, judged_alike

HIDDEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ("", "<svg ><text y=20 opacity=0>@</text></svg>"),
    ("", "<svg ><text y=20 transform='translate(-900,0)'>@</text></svg>"),
    ("", "<svg ><text y=20 transform='scale(.01)'>@</text></svg>"),
    ("", "<svg ><text y=20 transform='matrix(0 0 0 0 0 0)'>@</text></svg>"),
    ("", "<svg ><g transform='scale(0.001)'><text y=20>@</text></g></svg>"),
    ("", "<svg ><defs><text y=20>@</text></defs></svg>"),
    ("", "<svg ><text y=20><tspan x=-999>@</tspan></text></svg>"),
    ("", "<svg ><text y=20><tspan dy=-900>@</tspan></text></svg>"),
    ("", "<svg ><text y=20><tspan dx=9000>@</tspan></text></svg>"),
    ("", "<svg ><text y=20><textPath href='#none'>@</textPath></text></svg>"),
    ("", "<svg ><path id=p d='M0 20H300'/><text><textPath href='#p' startOffset='200%'>@</textPath></text></svg>"),
    ("", "<svg ><text y=20><title>@</title></text></svg>"),
    ("", "<svg ><mask id=m></mask><text y=20 mask='url(#m)'>@</text></svg>"),
    ("", "<svg ><clipPath id=c></clipPath><text y=20 clip-path='url(#c)'>@</text></svg>"),
    ("", "<svg ><clipPath id=c><rect width=0 height=0 /></clipPath><text y=20 clip-path='url(#c)'>@</text></svg>"),
    ("", "<svg ><filter id=f><feFlood flood-opacity=0 /></filter><text y=20 filter='url(#f)'>@</text></svg>"),
    ("", "<svg ><filter id=f><feColorMatrix values='1 0 0 0 0 0 1 0 0 0 0 0 1 0 0 0 0 0 0 0'/></filter><text y=20 filter='url(#f)'>@</text></svg>"),
    ("", "<svg ><filter id=f></filter><text y=20 filter='url(#f)'>@</text></svg>"),
    ("", "<svg ><text y=20>@</text><rect width=300 height=100 fill=white /></svg>"),
    ("", "<svg ><rect width=300 height=100 /><text y=20>@</text></svg>"),
    ("", "<svg ><rect width=300 height=100 /><text y=20 fill=black>@</text></svg>"),
    ("", "<svg ><text y=20>@</text><rect width='100%' height='100%' fill=white /></svg>"),
    ("", "<svg width=0 height=0><text y=20>@</text></svg>"),
    ("", "<svg style='width:0;height:0'><text y=20>@</text></svg>"),
    ("", "<svg viewBox='0 0 0 0'><text y=20>@</text></svg>"),
    ("", "<svg fill=white><text y=20>@</text></svg>"),
    ("", "<svg ><foreignObject width=300 height=100 x=-900><p>@</p></foreignObject></svg>"),
    ("", "<svg >@</svg>"),
    ("", "<svg ><text y=20 class=h>@</text><style>.h{opacity:0}</style></svg>"),
    ("", "<svg ><text y=20 stroke=white stroke-width=20>@</text></svg>"),
    ("", "<svg ><text y=20 fill='url(#none)'>@</text></svg>"),
    ("", "<svg ><linearGradient id=g><stop stop-color=white /></linearGradient><text y=20 fill='url(#g)'>@</text></svg>"),
    ("", "<svg ><text y=20 text-anchor=end x=0>@</text></svg>"),
    ("", "<svg ><text y='200%'>@</text></svg>"),
    ("", "<svg ><svg width=0 height=0><text y=20>@</text></svg></svg>"),
    ("", "<svg ><text y=20>@<animate attributeName=opacity from=1 to=0 dur=.01s fill=freeze /></text></svg>"),
    ("", "<svg ><text y=20>@<set attributeName=opacity to=0 /></text></svg>"),
    ("", "<svg ><text y=20>@<set attributeName=visibility to=hidden /></text></svg>"),
    ("", "<svg ><text y=20>@<set attributeName=display to=none /></text></svg>"),
    ("", "<svg ><text y=20>@<set attributeName=fill to=white /></text></svg>"),
    ("", "<svg ><text y=20>@<animateTransform attributeName=transform type=scale to=0 dur=.01s fill=freeze /></text></svg>"),
    ("", "<math><mphantom><mi>@</mi></mphantom></math>"),
    ("", "<math><mspace>@</mspace></math>"),
]]  # fmt: skip
SEEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ("", "<svg ><a><text y=20>@</text></a></svg>"),
    ("", "<svg ><switch><text y=20 systemLanguage=xx>a</text><text y=20>@</text></switch></svg>"),
    ("", "<svg ><text y=20 textLength=0>@</text></svg>"),
    ("", "<svg ><text y=20 filter='url(#none)'>@</text></svg>"),
    ("", "<svg hidden><text y=20>@</text></svg>"),
    ("", "<svg aria-hidden=true><text y=20>@</text></svg>"),
    ("", "<svg ><div>@</div></svg>"),
    ("", "<svg ><text y=20 text-anchor=middle x=150>@</text></svg>"),
    ("", "<svg ><text y=20 letter-spacing=-99>@</text></svg>"),
    ("", "<svg ><image href='data:x' /><text y=20>@</text></svg>"),
    ("", "<svg ><text y=20 opacity=0>@<set attributeName=opacity to=1 /></text></svg>"),
    ("", "<math><mtext>@</mtext></math>"),
    ("", "<math><mn>@</mn></math>"),
    ("", "<math><merror><mi>@</mi></merror></math>"),
    ("", "<math display=block><mi>@</mi></math>"),
    ("", "<math hidden><mi>@</mi></math>"),
    ("", "<math><p>@</p></math>"),
    ("", "<math scriptlevel=30><mi>@</mi></math>"),
]]  # fmt: skip


test_what_chromium_does_not_paint_goes, test_what_chromium_paints_stays, test_chromium_paints_the_same = judged_alike(
    HIDDEN, SEEN
)
