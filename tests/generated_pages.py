"""Pages made up by hypothesis: nested boxes with a text each, under rules that hide some of them or almost do."""

# ruff: noqa: E501 - lists of what is tried

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import strategies as st

MARKERS = ("ALPHAQ", "BRAVOQ", "COASTQ", "DELTAQ", "EMBERQ")
FILLER = (
    '<blockquote style="margin-top:900px">'
    + "Ordinary words about boats, nets and the weather of the coast. " * 40
    + "</blockquote>"
)

SELECTORS = (
    ".a", ".b", ".c", "div.a", "div.b.c", "#one", "#two", ".a .b", ".a > .b", ".a + .c", ".a ~ .b", ":is(.a, #two)", ".b:not(.a)", ":where(.c)",
    ".a:has(.b)", "div.b:first-child", ".c:last-child", "div:nth-child(2).a", "[data-k]", "[data-k='2']", "body .c", ".a::before", ".b::after",
    ".a:hover", ".c:focus-within", ".b:empty", ".a:nth-of-type(odd)", "main > .a", "main .a .c", ".b:only-child", ".a:bogus", "div.c, .b::bogus",
    ".a *", ".c:lang(en)", ".b:nth-last-child(1)", "main div.a",
)  # fmt: skip
DECLARATIONS = (
    "display:none", "display:block", "display:contents", "display:flex", "display:inline-block", "display:bogus", "visibility:hidden",
    "visibility:visible", "opacity:0", "opacity:1", "opacity:.5", "opacity:calc(1 - 1)", "opacity:var(--o)", "opacity:var(--none, 0)", "--o:0", "--o:1",
    "--o:var(--p)", "--p:0", "color:#fff", "color:#000", "color:transparent", "color:var(--ink)", "--ink:#fff", "--ink:#000", "color:inherit",
    "color:currentcolor", "color:rgb(from white r g b)", "background:#000", "background:#fff", "background:linear-gradient(#000,#000)",
    "background:none", "background:transparent", "background-color:currentcolor", "-webkit-text-fill-color:transparent",
    "-webkit-text-fill-color:currentcolor", "font-size:0", "font-size:20px", "font-size:2em", "font:16px monospace", "zoom:.01", "height:0;overflow:hidden",
    "height:0", "overflow:hidden", "overflow:visible", "max-height:0", "width:0;overflow:hidden", "padding-bottom:40px", "padding-top:40px",
    "position:absolute;left:-9999px", "position:absolute;clip:rect(0,0,0,0)", "position:relative", "position:static", "left:-9999px", "left:0", "margin-left:-9999px", "margin-left:4px",
    "text-indent:-9999px", "text-indent:0", "transform:scale(0)", "transform:none", "transform:translateX(-9999px)", "transform:rotateY(90deg)", "scale:0",
    "clip-path:inset(100%)", "clip-path:none", "clip:rect(0,0,0,0)", "filter:opacity(0)", "filter:invert(1)", "filter:none", "mask:linear-gradient(transparent,transparent)",
    "content-visibility:hidden", "content-visibility:visible", "contain:strict", "all:unset", "all:initial", "display:revert", "opacity:inherit",
    "color:unset", "font-size:inherit", "visibility:inherit", "display:revert-layer", "float:left", "-webkit-text-security:disc", "text-shadow:0 0 3px #000",
)  # fmt: skip
WRAPPERS = (
    "%s", "%s", "%s", "%s", "@media screen{%s}", "@media print{%s}", "@media (min-width:900px){%s}", "@media (max-width:900px){%s}",
    "@media not print{%s}", "@media (hover:none) and (width < 10px){%s}", "@supports (display:grid){%s}", "@supports not (display:grid){%s}",
    "@supports (display:bogus) or (opacity:0){%s}", "@layer one{%s}", "@layer two{%s}", "@layer one.inner{%s}", "@scope (.a){%s}", "@scope (.a) to (.c){%s}",
    "@bogus{%s}", "main{%s}", "@media all{@layer two{%s}}",
)  # fmt: skip
ATTRIBUTES = ("", "", "", "", "", " hidden", " data-k=2", " data-k", " aria-hidden=true", " inert", " popover", " lang=fr")
TAGS = ("div", "div", "div", "div", "section", "span", "p")


@dataclass(frozen=True)
class Made:
    """A page, and the texts in it."""

    html: str
    markers: tuple[str, ...]


@st.composite
def rules(draw: st.DrawFn) -> str:
    """One rule, somewhere."""
    declared = draw(st.lists(st.sampled_from(DECLARATIONS), min_size=1, max_size=3))
    important = draw(st.sampled_from(("", "", "", " !important")))
    body = ";".join(f"{each.replace(';', important + ';')}{important}" for each in declared)
    return draw(st.sampled_from(WRAPPERS)) % f"{draw(st.sampled_from(SELECTORS))}{{{body}}}"


@st.composite
def pages(draw: st.DrawFn) -> Made:
    """Up to five boxes, one in or beside the other."""
    css = "\n".join(draw(st.lists(rules(), min_size=1, max_size=7)))
    count = draw(st.integers(1, len(MARKERS)))
    opened: list[str] = []
    body = ""
    for marker in MARKERS[:count]:
        for _ in range(draw(st.integers(0, len(opened)))):
            body += f"</{opened.pop()}>"
        tag = draw(st.sampled_from(TAGS))
        names = " ".join(draw(st.lists(st.sampled_from("abc"), max_size=2, unique=True)))
        identity = draw(st.sampled_from(("", "", "", " id=one", " id=two")))
        style = draw(st.sampled_from(("", "", *DECLARATIONS)))
        style = f' style="{style}"' if style else ""
        body += f'<{tag} class="{names}"{identity}{draw(st.sampled_from(ATTRIBUTES))}{style}>{marker}'
        opened.append(tag)
    body += "".join(f"</{tag}>" for tag in reversed(opened))
    head = "<meta charset=utf-8><title>Boats</title><style>html{font-family:monospace}</style>"
    order = draw(st.sampled_from(("", "", "@layer two, one;")))
    return Made(
        f"<!DOCTYPE html><html lang=en><head>{head}<style>{order}{css}</style></head><body><main>{body}</main>{FILLER}</body></html>",
        MARKERS[:count],
    )
