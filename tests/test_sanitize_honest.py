"""Ordinary styling that comes near to hiding, and hiding that comes near to it; each but the open lists checked in Chromium."""

from __future__ import annotations

import pytest
from selectolax.lexbor import LexborHTMLParser

from stages.records import Page
from stages.sanitize import Options, sanitize

REST = "<p>The ferry leaves at nine and at noon.</p>" * 9
BUTTON, FIELD, MARK = '<button class="x">@</button>', '<textarea class="x">@</textarea>', '<p>Now <mark class="x">@</mark></p>'
TEXT = '<div class="w"><p class="x">@</p></div>'
LIST, DIALOG = '<select class="x"><option>@<option>Other</select>', '<dialog open class="x">@</dialog>'


def shows(css: str, body: str, head: str = "") -> bool:
    head = f"<!DOCTYPE html><head><title>Ferry</title>{head}<style>{css}</style></head>"
    page = f"{head}<body>{body.replace('@', 'MARKERQ')}{REST}</body>"
    result = sanitize.call(Page(url="https://coast.example/", media_type="text/html", body=page.encode()), Options())
    return "MARKERQ" in LexborHTMLParser(result.body.decode()).root.text(separator=" ")


@pytest.mark.parametrize("body", [BUTTON, FIELD, MARK, LIST, DIALOG])
@pytest.mark.parametrize("css", ["body{color:#fff}", "body{background:#000}", "body{color-scheme:dark}"])
def test_the_colours_of_the_page_do_not_reach_into_controls(css, body):
    assert shows(css, body)


@pytest.mark.parametrize("body", [BUTTON, FIELD, LIST])
def test_letters_without_size_do_not_reach_into_controls(body):
    assert shows("body{font-size:0}", body)


@pytest.mark.parametrize("body", [BUTTON, FIELD, MARK, LIST, DIALOG])
@pytest.mark.parametrize(
    "css",
    [
        "body{color:#fff}.x{color:inherit;background:none}",
        "body{color:#fff}.x{all:unset}",
        "body{background:#000}.x{background:#000;color:#000}",
        ".x{color:transparent}",
        ".x{font-size:0}",
    ],
)
def test_what_the_page_declares_for_controls_counts(css, body):
    assert not shows(css, body)


def test_text_in_the_colour_of_a_button_goes_although_it_stands_out_on_the_page():
    assert not shows("body{background:#000}.x{color:#efefef}", BUTTON)
    assert not shows("body{background:#000}.x{color:#fff}", FIELD)


def test_a_button_without_its_stylesheet_keeps_its_letters():
    assert shows("button{color:#fff}", BUTTON, '<link rel="stylesheet" href="/missing.css">')


@pytest.mark.parametrize("option", ["", "option{color:#000}"])
def test_an_option_is_read_on_the_ground_of_its_open_list(option):
    assert shows("body{background:#000;color:#fff}select{background:none;color:#fff}" + option, LIST)


def test_an_option_in_the_colour_of_its_list_goes():
    assert not shows("select{background:#fff;color:#fff}", LIST)
    assert not shows("body{background:#000}select{background:#fff;color:#000}option{color:#fff}", LIST)


UNDERLINED = [
    ".x{color:#000;background:linear-gradient(#000,#000) 0 100%/100% 2px no-repeat}",
    ".x{background-image:linear-gradient(currentColor,currentColor);background-size:100% 2px;background-repeat:no-repeat}",
    ".x{background:linear-gradient(#000,#000) bottom/2px 2px repeat-x}",
    ".x{background:linear-gradient(#000,#000) 0 0/2px 100% repeat-y}",
    ".x{background:linear-gradient(#000,#000) 0 100%/100% .1em no-repeat,linear-gradient(#000,#000) 0 0/auto 2px no-repeat}",
]


@pytest.mark.parametrize("css", UNDERLINED)
def test_a_line_drawn_by_a_background_in_the_colour_of_its_letters_does_not_hide_them(css):
    assert shows(css, TEXT)


FILLED = [
    ".x{background:linear-gradient(#000,#000) 0 0/2px 2px}",
    ".x{background:linear-gradient(#000,#000) 0 0/2px 100% repeat-x}",
    ".x{background-image:linear-gradient(currentColor,currentColor)}",
    ".x{background:linear-gradient(#000,#000) 0 0/100% 2px no-repeat,linear-gradient(#000,#000)}",
    ".x{color:#fff;background:url(line.png) 0 100%/100% 2px no-repeat}",
]


@pytest.mark.parametrize("css", FILLED)
def test_a_background_that_fills_its_box_in_the_colour_of_its_letters_hides_them(css):
    assert not shows(css, TEXT)


WIDE = "The harbour master keeps the ledger of tides in a room above the chandlery. " * 4
OUTSIDE = [
    (".x{transform:translateX(-100%)}", TEXT),
    (".x{position:absolute;left:0;right:0;transform:translateX(-100%)}", TEXT),
    (".x{position:absolute;left:-300px}", TEXT),
    (".x{position:absolute;left:-300px;width:280px}", TEXT),
    (".x{position:absolute;top:-40px;left:0;padding:8px}.x:focus{top:0}", '<a href="#m" class="x">@</a>'),
    (".x{position:absolute;top:-300px;width:400px}", f'<p class="x">{WIDE}@</p>'),
    (".x{position:fixed;left:0;top:0;bottom:0;width:300px;transform:translate3d(-100%,0,0)}", TEXT),
    (".x{position:fixed;top:0;right:0;width:280px;transform:translateX(280px)}", '<div class="x"><ul><li>@</li></ul></div>'),
    (".x{position:fixed;bottom:0;left:0;right:0;transform:translateY(100%)}", '<div class="x">@</div>'),
    (".x{margin-left:-500px;width:400px}", TEXT),
    (".w{overflow:hidden}.x{transform:translateX(100%)}", TEXT),
    (".w{overflow:hidden;position:relative}.x{position:absolute;top:100%}", TEXT),
    (".w{overflow:hidden;position:relative}.x{position:absolute;bottom:0;transform:translateY(100%)}", TEXT),
    (".w{overflow:hidden}.x{text-indent:-200px}", TEXT),
    (".w{position:absolute;left:-300px;width:280px}.x{position:absolute}", TEXT),
]


@pytest.mark.parametrize(("css", "body"), OUTSIDE)
def test_a_box_beside_the_page_or_beside_a_box_that_clips_is_not_seen(css, body):
    assert not shows(css, body)


TRACK = '<div class="w"><div class="t"><div>One</div><div>@</div></div></div>'
INSIDE = [
    (".x{position:absolute;left:-300px}", f'<p class="x">{WIDE}@</p>'),
    (".x{position:absolute;top:-100px;height:20px}", f'<p class="x">{WIDE * 6}@</p>'),
    (".x{position:absolute;left:-20px;width:1px;white-space:nowrap}", f'<p class="x">{WIDE}@</p>'),
    (".x{position:fixed;left:50%;top:50%;transform:translate(-50%,-50%)}", TEXT),
    (".x{position:fixed;top:0;transform:translateY(-100%)}", TEXT),
    (".w{position:relative;margin-top:100px}.x{position:absolute;top:-40px}", TEXT),
    ("body{position:relative;width:600px;margin:0 auto}.x{position:absolute;left:-140px}", TEXT),
    ("body{position:relative;margin-left:300px}.x{position:absolute;left:-140px}", TEXT),
    (".w{transform:translateX(500px)}.x{position:fixed;left:-300px;width:290px}", TEXT),
    (".w{filter:blur(0);margin-left:500px}.x{position:absolute;left:-300px;width:290px}", TEXT),
    (
        ".x{position:absolute;left:-300px;width:300px}.x span{position:absolute;left:310px}",
        '<div class="x">a<span>@</span></div>',
    ),
    (
        ".w{display:flex}.x{margin-left:-300px;width:290px}",
        '<div class="w"><p style="flex:0 0 600px">Left</p><p class="x">@</p></div>',
    ),
    (".w{overflow:hidden}.t{display:flex;transform:translateX(-100%)}.t>*{flex:0 0 100%}", TRACK),
    (".w{overflow:hidden}.t{white-space:nowrap;transform:translateX(-100%)}.t>*{width:100%;display:inline-block}", TRACK),
    (".w{overflow:hidden}.t{width:300%;transform:translateX(-33.33%)}.t>*{width:33.33%;float:left}", TRACK),
]


@pytest.mark.parametrize(("css", "body"), INSIDE)
def test_a_box_that_may_reach_into_the_page_is_seen(css, body):
    assert shows(css, body)


DROPDOWN = (
    "<x-menu><template shadowrootmode=open><style>:host(:not([open])) slot[name=list]{display:none}</style>"
    "<slot name=list></slot></template><p slot=list>@</p></x-menu>"
)


@pytest.mark.parametrize("around", ["{}", "<x-bar><template shadowrootmode=open><p>Bar</p>{}</template></x-bar>"])
def test_a_shadow_root_knows_its_host_also_inside_of_another(around):
    assert not shows("", around.format(DROPDOWN))
    assert shows("", around.format(DROPDOWN.replace("<x-menu>", "<x-menu open>")))


GROUND = ".w{background:#fff;color:#fff;position:relative}.w::before{content:'';position:absolute;inset:0;background:green}"
SHOWN = [
    ".x{position:relative}",
    ".w{z-index:0}.w::before{z-index:-1}",
    ".w{transform:none;isolation:isolate}.w::before{z-index:-1}",
]


@pytest.mark.parametrize("css", SHOWN)
def test_a_pseudo_element_stretched_beneath_a_text_is_what_the_text_stands_out_from(css):
    assert shows(GROUND + css, TEXT)
    assert not shows(GROUND + css + ".w::before{background:#fff}", TEXT)


def test_a_pseudo_element_beneath_the_background_of_its_box_is_no_ground():
    assert not shows(GROUND + ".w::before{z-index:-1}", TEXT)


def test_letters_of_another_hue_and_the_same_light_are_seen():
    assert shows("body{background:#003d78}", '<p><a class="x" href="/pay">@</a></p>')
    assert shows(".w{background:#96f}.x{color:#2d8cff}", TEXT)
    assert not shows(".x{color:#ffff90}", TEXT)


def test_text_that_blinks_without_end_is_seen_and_one_that_never_shows_is_not():
    blinking = ".x{animation:a 1s steps(1) infinite}@keyframes a"
    assert shows(blinking + "{50%{visibility:hidden}}", TEXT)
    assert shows(blinking + "{to{opacity:0}}", TEXT)
    assert not shows(blinking + "{from,to{opacity:0}}", TEXT)


def test_what_lies_left_of_a_page_that_is_written_from_right_to_left_can_be_scrolled_to():
    page = '<!DOCTYPE html><html dir="rtl"><body><p style="position:absolute;left:-300px;width:280px">MARKERQ</p>' + REST
    result = sanitize.call(Page(url="https://coast.example/", media_type="text/html", body=page.encode()), Options())
    assert b"MARKERQ" in result.body


CALM = [
    (".w{background:#036 url(hero.jpg) no-repeat right;color:#fff}", TEXT),
    (".x{background:linear-gradient(#07c,#05a);color:#fff}", TEXT),
    (".w{display:grid}.w>*{grid-area:1/1}.w i{background:#024}.x{color:#fff}", '<div class="w"><i></i><p class="x">@</p></div>'),
    (".w{position:relative;color:#fff}.w i{position:absolute;inset:0;background:#024;z-index:-1}", "<div class=w><i></i>@</div>"),
    ("", "<svg style='display:none'><symbol id=i><title>Anchor</title><path d='M0 0h9'/></symbol></svg><p>@</p>"),
    ("", "<svg width=300 height=60><rect width=300 height=60 fill=navy /><text y=30 fill=white>@</text></svg>"),
    ("", "<svg width=300 height=60><rect width=300 height=60 /><text x=150 y=30 text-anchor=middle fill=red>@</text></svg>"),
    ("", "<select><option value='' disabled selected hidden>@</option><option>Other</option></select>"),
]  # fmt: skip


@pytest.mark.parametrize(("css", "body"), CALM)
def test_what_stands_out_from_all_that_may_lie_behind_it_is_no_finding(css, body):
    page = (
        f"<!DOCTYPE html><head><title>Ferry</title><style>{css}</style></head><body>{body.replace('@', 'MARKERQ')}{REST}</body>"
    )
    result = sanitize.call(Page(url="https://coast.example/", media_type="text/html", body=page.encode()), Options())
    assert b"MARKERQ" in result.body
    assert result.threats == ()


def test_letters_in_nearly_the_colour_of_a_gradient_go():
    assert not shows(".w{background:linear-gradient(#fff,#fefefe)}.x{color:#fff}", TEXT)
