"""What is painted and what is not, each checked in Chromium: other letters in its place change a pixel, or they do not."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from stages.records import Page, Stylesheet
from stages.sanitize import Options, sanitize

TEXT = "MARKERQ"
REST = "".join(
    f"<p>Paragraph {number}: ordinary words about boats, nets and the weather of the coast.</p>" for number in range(9)
)


def shows(css: str, body: str = '<div class="w"><p class="x">@</p></div>', **fields) -> bool:
    html = f"<!DOCTYPE html><html lang=en><head><title>Boats</title><style>{css}</style></head><body>{body.replace('@', TEXT)}{REST}</body></html>"
    page = Page(url="https://coast.example/paint", media_type="text/html", body=html.encode(), **fields)
    result = sanitize.call(page, Options())
    assert sanitize.call(result, Options()) == result
    return TEXT in LexborHTMLParser(result.body.decode()).root.text(separator=" ")


HIDDEN = [
    ".x{opacity:sin(0)}", ".x{opacity:calc(-infinity)}", ".x{opacity:round(down,.9,1)}", ".x{font-size:round(.2px,1px)}", ".x{position:absolute;left:calc(pow(10,4) * -1px)}",
    ".x{color:rgb(from white r g b)}", ".x{color:rgb(from black r g b / 0)}", ".x{color:color(display-p3 1 1 1)}", ".x{color:color(srgb-linear 1 1 1)}", ".x{color:rgb(none none none / none)}",
    ".x{color:oklch(from black 1 0 0)}", ".x{color:lab(from black 100 0 0)}", ".x{color:color(xyz-d50 .9642 1 .8251)}", ".x{color:contrast-color(black)}", ".x{color-scheme:dark;color:light-dark(black,white)}", ".x{filter:invert(1)}", ".x{filter:brightness(0) invert(1)}", "body{background:#000}.x{filter:brightness(0);color:#fff}",
    ".x{zoom:.01}", ".x{font-size-adjust:0}", ".x{-webkit-text-security:disc}", ".x{transform:skewX(90deg)}", ".x{transform:perspective(1px) translateZ(10px)}", ".w{perspective:100px}.x{transform:translateZ(200px)}",
    ".x{text-indent:100%;white-space:nowrap;overflow:hidden}", ".w{overflow:hidden}.x{text-indent:110%;white-space:nowrap}", ".x{contain:strict}", ".x{container-type:size;overflow:hidden}", ".x{height:0;overflow:hidden;padding-top:56%}",
    ".x{line-height:100px;height:20px;overflow:hidden}", ".w{overflow:hidden;height:30px}.x{margin-top:40px}", ".w{overflow:hidden;height:30px}.x{transform:translateY(-100px)}", ".w{overflow:hidden;width:300px;position:relative}.x{position:absolute;right:-400px;width:300px}",
    ".w{overflow:hidden;width:300px}.x{transform:translateX(100%);width:300px}", ".w{display:grid;grid-template-rows:minmax(0,0fr)}.x{overflow:hidden;margin:0}", ".w{display:grid;grid-auto-rows:0}.x{overflow:hidden;margin:0}", ".w{display:flex}.x{flex:0 0 0;overflow:hidden}",
    ".x{clip-path:path('M0 0')}", ".x{clip-path:polygon(-100px -100px,-50px -100px,-50px -50px)}", ".x{mask:linear-gradient(black,black) 0 0/0 0 no-repeat}", ".x{mask:linear-gradient(black,black) luminance}",
    ".x{color:transparent;text-shadow:-9999px 0 red}", ".x{background:linear-gradient(white,white);background-clip:text;color:transparent}", ".x{color:white;background:linear-gradient(black,black);background-size:0 0}", ".x{color:black;box-shadow:inset 0 0 0 100px black}",
    "body{background:#fff}.x{mix-blend-mode:screen}", ".x{content:linear-gradient(red,blue)}", ".x::first-line{color:white}", ".w{position:relative}.w::after{content:'';position:absolute;inset:0;background:white}",
    ".x{--a:var(--b);--b:var(--a);opacity:var(--a,0)}", ".x{opacity:env(nothing,0)}", ".x{color:attr(data-c type(<color>),white)}", ".x{display:if(media(print):block;else:none)}", "@layer a{.x{display:none}}@layer b{.x{display:revert-layer}}",
    "@supports not (display:bogus){.x{display:none}}", "@supports not selector(:bogus){.x{display:none}}", "@media (min-width:calc(100px + 1em)){.x{display:none}}", "@scope (.x){:scope{display:none}}", ".x:lang(en){display:none}", ".x:not(:enabled){display:none}",
    ".x:not(:focus):not(:active){position:absolute;clip-path:inset(100%)}", "html{overflow-x:clip}.x{margin-left:150vw}", "html,body{overflow:hidden;height:100%}.x{margin-top:200vh}", ".w{display:contents;background:black;color:white}",
]  # fmt: skip


@pytest.mark.parametrize("css", HIDDEN)
def test_what_chromium_does_not_paint_goes(css):
    assert not shows(css)


SEEN = [
    ".x{color:yellow}", ".x{color:white;box-shadow:inset 0 0 0 100px black}", ".x{mix-blend-mode:screen}", "body{background:#fff}.x{mix-blend-mode:difference;color:#fff}", ".x{filter:grayscale(1)}", ".w{filter:invert(1);background:#fff}",
    ".x{color:transparent;-webkit-text-stroke-width:1px;-webkit-text-stroke-color:#000}", ".x{transform:rotateX(360deg)}", ".x{transform:scale(-1,1)}", ".x{zoom:.5}", ".x{contain:content}", ".x{contain:strict;height:50px}", ".x{display:table;width:0;overflow:hidden}",
    ".w{height:0;padding-top:50%;position:relative;overflow:hidden}.x{position:absolute;inset:0}", ".w{height:0;padding-bottom:50%;overflow:hidden}", ".w{display:flex}.x{flex:1;width:1px;overflow:hidden}", ".w{display:flex}.x{flex:1 1 0;overflow:hidden}",
    ".w{overflow:hidden;height:40px}.x{margin-top:2px}", ".x{color:white}.x::first-line{color:black}", ".w{position:relative}.w::before{content:'';position:absolute;inset:0;background:#000}.x{position:relative;color:#fff}", ".w{position:relative}.w::after{content:'';position:absolute;inset:0;background:#000;opacity:0}",
    ".w{position:relative}.w::after{position:absolute;inset:0;background:#fff}", ".w{position:relative;overflow:hidden}.w::before{content:'';position:absolute;inset:0;background:#fff;transform:scaleX(0)}", ".w{background:#fff;isolation:isolate}.x{position:relative;z-index:-1}",
    ".x:bogus,.x{display:none}", ".x,.y::bogus{display:none}", "@media not (bogus){.x{display:none}}", "@media (prefers-reduced-motion){.x{display:none}}", "@supports (width:bad){.x{display:none}}", ".x{display:inline none}", "@scope (body) to (.x){.x{display:none}}",
    "@keyframes k{from{opacity:0}}.x{animation:k 1s both}", "@keyframes k{to{opacity:0}}.x{animation:k 1s forwards;opacity:1!important}", "@keyframes k{to{opacity:0}}.x{animation:k 1s 2 alternate forwards}", "p{}@import 'data:text/css,.x{display:none}';",
    "@import 'data:text/css,.x{display:none}' supports(display:bogus);", "@namespace svg url(http://www.w3.org/2000/svg);svg|p.x{display:none}", "@property --o{syntax:'<number>';inherits:false;initial-value:1}body{--o:0}.x{opacity:var(--o)}",
]  # fmt: skip


@pytest.mark.parametrize("css", SEEN)
def test_what_chromium_paints_stays(css):
    assert shows(css)


MARKUP_HIDDEN = [
    "<svg><text y=-100>@</text></svg>", "<svg><text y=20 opacity=0>@</text></svg>", "<svg><text y=20 fill-opacity=0>@</text></svg>", "<svg><g display=none><text y=20>@</text></g></svg>", "<svg width=0 height=0><text y=20>@</text></svg>", "<svg>@</svg>",
    '<svg width=100 height=50 viewBox="0 0 100000 50000"><text y=20>@</text></svg>', "<svg><text y=20 transform='scale(0)'>@</text></svg>", "<svg><switch><text y=20>a</text><text y=40>@</text></switch></svg>", "<svg><foreignObject><p>@</p></foreignObject></svg>",
    "<math>@</math>", "<math><mrow>@</mrow></math>", "<math><mphantom><mi>@</mi></mphantom></math>", "<math><mi mathcolor=white>@</mi></math>", "<math><maction actiontype=toggle><mi>a</mi><mi>@</mi></maction></math>", "<meter>@</meter>",
    '<details><summary style="display:none">s</summary>@</details>', '<details><p>@</p><summary style="display:none">s</summary></details>', "<a><template shadowrootmode=open><p>@</p></template></a>", "<marquee bgcolor=black><font color=black>@</font></marquee>",
    "<div class=k><template shadowrootmode=open><style>:host(.k){display:none}</style><p>@</p></template></div>", "<div><template shadowrootmode=open><style>:host-context(body){display:none}</style><p>@</p></template></div>",
    '<div style="position:relative"><p style="position:relative">@</p><div style="position:absolute;inset:0;background:white"></div></div>', '<div style="position:relative"><p>@</p><div style="position:absolute;inset:-5px;background:white"></div></div>',
    '<div style="display:grid"><p style="grid-area:1/1">@</p><div style="grid-area:1/1;background:white"></div></div>',
]  # fmt: skip
MARKUP_SEEN = [
    "<svg><text y=20>@</text></svg>", '<svg viewBox="0 0 100 50" width=200><text y=20>@</text></svg>', "<svg><g transform='translate(50,50)'><text y=-20>@</text></g></svg>", "<svg><a><text y=20>@</text></a></svg>", "<math><mtext>@</mtext></math>", "<math><mi>@</mi></math>",
    "<object>@</object>", "<map name=m>@</map>", "<x-y><template shadowrootmode=open><p>@</p></template></x-y>", "<div><template shadowrootmode=open><style>:host(.k){display:none}</style><p>@</p></template></div>",
    '<div style="position:relative"><p style="position:relative;z-index:9">@</p><div style="position:absolute;inset:0;background:white;z-index:5"></div></div>', '<a style="text-indent:-9999px" href=#>@</a>',
]  # fmt: skip


@pytest.mark.parametrize("body", MARKUP_HIDDEN)
def test_markup_that_chromium_does_not_paint_goes(body):
    assert not shows("", body)


@pytest.mark.parametrize("body", MARKUP_SEEN)
def test_markup_that_chromium_paints_stays(body):
    assert shows("", body)


LINK = "<link rel=stylesheet href=/a.css>"


def test_well_known_classes_mean_what_they_do_where_the_stylesheet_is_missing():
    sheet = (Stylesheet(url="https://coast.example/a.css", text="b{}"),)
    assert not shows("", f'{LINK}<p class="sr-only">@</p>')
    assert not shows("", f'{LINK}<p class="d-none">@</p>')
    assert shows("", f'{LINK}<p class="d-none d-md-block">@</p>')
    assert shows(".hidden{color:red}", f'{LINK}<p class="hidden">@</p>')
    assert shows("", f'{LINK}<p class="hidden">@</p>', stylesheets=sheet)
    assert shows("", '<p class="hidden">@</p>')
    assert shows("", f'{LINK}<p class="sr-only">@</p>', tier="file")


@pytest.mark.parametrize("number", [0, 1, 2])
def test_each_of_boxes_styled_alike_clips_what_is_in_itself_and_no_more(number):
    cards = "".join(f'<div class="c"><p>{"@" if each == number else "card"} about nets</p></div>' for each in range(3))
    assert shows(".t{padding-top:90px}.c{overflow:hidden;height:60px}", f'<div class="t"><div>{cards}</div></div>')


CHAIN = '<div class="a"><div class="b"><div class="b c"><div class="d"><p class="x">@</p></div></div></div></div>'


@pytest.mark.parametrize(
    ("selector", "matches"),
    [
        (".a>.b .x", True), (".a>.c .x", False), (".b .b .x", True), (".a .b>.d .x", True), (".b>.b>.d>.x", True), (".c .b .x", False),
        (".a .d>.x", True), (".a>.d .x", False), (":is(.x)", True), (":root :is(.x)", True), (":is(.y)", False), (":is(.y,.x)", True),
        (":where(.a .d)>.x", True), (":is(:not(.y)).x", True), (":not(:is(.y)).x", True), (":is(.a:has(.y)) .x", False), (":root .x", True),
    ],
)  # fmt: skip
def test_a_chain_of_selectors_matches_whichever_way_it_is_looked_for(selector, matches):
    assert shows(f"{selector}{{display:none}}", CHAIN) is not matches


def test_what_is_put_in_a_slot_is_no_part_of_the_shadow_tree_that_styles_it():
    shadow = "<style>::slotted(:is(.x)){display:none}</style><slot></slot>"
    assert not shows("", f'<div><template shadowrootmode="open">{shadow}</template><p class="x">@</p></div>')
