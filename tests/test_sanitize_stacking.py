"""What lies over a text or behind it, and how they blend. Each checked in Chromium."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

from painted_cases import BOX, judged_alike

HIDDEN = [(one, BOX) if isinstance(one, str) else one for one in [
    (".w{position:relative}.x{position:relative}.c{position:absolute;inset:0;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{position:relative}.c{position:absolute;inset:0;background:#fff;transform:none}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{position:relative}.c{position:absolute;inset:-10px;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".c{margin-top:-100px;height:100px;background:#fff;position:relative}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".c{position:relative;top:-100px;height:100px;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".c{transform:translateY(-100px);height:100px;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{display:grid}.w>*{grid-area:1/1}.c{background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{display:grid}.x{grid-area:1/1}.c{grid-area:1/1/2/2;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{position:relative}.w::before{content:'';position:absolute;inset:0;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{background:#fff;display:flex}.x{z-index:-1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{background:#fff;display:grid}.x{z-index:-99}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    ("html{background:#fff}body{background:#fff}.x{position:relative;z-index:-1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    ("html{background:#eee}body{background:#fff;min-height:100vh}.x{position:relative;z-index:-1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{display:grid}.x,.c{grid-area:1/1}.c{background:#fff;z-index:1}", '<div class="w"><div class="c"></div><p class="x">@</p></div>'),
    (".c{margin-top:-100px;height:200px;background:#fff;position:relative}", '<div class="w"><p class="x">@</p></div><div class="c"></div>'),
    ".w{background:#fff}.x{mix-blend-mode:color}",
    ".w{background:#fff}.x{mix-blend-mode:hue}",
    ".w{background:#fff}.x{mix-blend-mode:soft-light}",
    ".w{background:#fff}.x{mix-blend-mode:overlay}",
    ".w{background:#fff}.x{mix-blend-mode:color-burn}",
    ".w{background:#fff}.x{mix-blend-mode:difference;color:#000}",
    ".w{background:#000}.x{mix-blend-mode:overlay;color:#fff}",
    ".w{background:#000}.x{mix-blend-mode:soft-light;color:#fff}",
    ".w{background:#000}.x{mix-blend-mode:color-dodge;color:#fff}",
    ".w{background:#000}.x{mix-blend-mode:hue;color:#f00}",
    ".w{background:#000}.x{mix-blend-mode:saturation;color:#f00}",
    ".w{background:#fff;color:#777}.x{mix-blend-mode:hue}",
    ".w{background:#fff;color:#777}.x{mix-blend-mode:color}",
    ".w{background:#fff;color:#777}.x{mix-blend-mode:saturation}",
    ".w{background:#fff;display:flex}.x{z-index:-1}",
    "html{background:#fff}body{background:#fff}.x{position:relative;z-index:-1}",
    (".w{position:relative;overflow:hidden}.c{position:absolute;inset:0;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    ("", '<div style="position:relative"><p>@</p><iframe style="position:absolute;inset:0;width:100%;height:100%;background:#fff"></iframe></div>'),
    ("", '<div style="position:relative"><p>@</p><video style="position:absolute;inset:0;width:100%;height:100%;background:#fff"></video></div>'),
    ("", '<div style="position:relative"><p>@</p><canvas style="position:absolute;inset:0;width:100%;height:100%;background:#fff"></canvas></div>'),
]]  # fmt: skip
SEEN = [(one, BOX) if isinstance(one, str) else one for one in [
    (".w{position:relative}.c{position:absolute;inset:0;background:#fff;opacity:.5}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{position:relative}.c{position:absolute;inset:0;background:url(a.png)}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{position:relative}.c{position:absolute;inset:0;background:#fff;transform:translateX(-100%)}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".c{position:fixed;inset:0;background:rgba(0,0,0,.5)}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".c{margin-top:-100px;height:100px;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{display:grid}.x,.c{grid-area:1/1}.c{background:#fff;z-index:-1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{display:grid}.x{grid-area:1/1;position:relative}.c{grid-area:1/1;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".x{position:relative}.x::after{content:'';position:absolute;bottom:0;left:0;right:0;height:2px;background:red}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".x{position:relative}.x::after{content:none;position:absolute;inset:0;background:#fff}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".x{border-image:linear-gradient(#fff,#fff) fill 1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    ("body{background:#fff}.x{position:relative;z-index:-1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{background:#fff;position:relative;z-index:0}.x{position:relative;z-index:-1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{background:#fff}.x{z-index:-1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{background:rgba(255,255,255,.5)}.x{position:relative;z-index:-1}", '<div class="w"><p class="x">@</p><div class="c"></div></div>'),
    (".w{position:relative}.c{position:absolute;inset:0;background:#fff;z-index:-1}", '<div class="w"><div class="c"></div><p class="x">@</p></div>'),
    (".w{position:relative}.c{position:absolute;inset:0;background:#000;z-index:-1}.x{color:#fff}", '<div class="w"><div class="c"></div><p class="x">@</p></div>'),
    (".w{display:grid}.x,.c{grid-area:1/1}.c{background:#000}.x{color:#fff}", '<div class="w"><div class="c"></div><p class="x">@</p></div>'),
    (".c{height:100px;background:#000;margin-bottom:-100px}.x{color:#fff}", '<div class="w"><div class="c"></div><p class="x">@</p></div>'),
    (".c{height:100px;background:#000}.x{color:#fff;transform:translateY(-60px)}", '<div class="w"><div class="c"></div><p class="x">@</p></div>'),
    (".c{float:left;width:300px;height:100px;background:#000;margin-right:-300px}.x{color:#fff}", '<div class="w"><div class="c"></div><p class="x">@</p></div>'),
    (".c{position:fixed;inset:0;background:#000}.x{position:relative;color:#fff}", '<div class="w"><div class="c"></div><p class="x">@</p></div>'),
    (".c{margin-top:-60px;height:60px;background:#fff}", '<div class="w"><p class="x">@</p></div><div class="c"></div>'),
    (".w{position:relative}.c{position:absolute;inset:0;width:100%;height:100%}", '<div class="w"><p class="x">@</p><img class="c"></div>'),
    ".x{mix-blend-mode:multiply}",
    ".x{mix-blend-mode:hue}",
    ".x{mix-blend-mode:color}",
    ".w{background:#fff;color:#777}.x{mix-blend-mode:multiply}",
    "body{background:#fff}.x{position:relative;z-index:-1}",
    ".w{background:#000}.x{mix-blend-mode:screen;background:#fff;color:#000}",
    ".w{background:#000}.x{mix-blend-mode:difference;background:#fff;color:#000}",
    ("", '<div style="position:relative"><p>@</p><video style="position:absolute;inset:0;width:100%;height:100%"></video></div>'),
    ("", '<div style="position:relative"><p>@</p><canvas style="position:absolute;inset:0;width:100%;height:100%"></canvas></div>'),
    ("", '<div style="position:relative"><p>@</p><canvas style="display:none;position:absolute;inset:0;width:100%;height:100%;background:#fff"></canvas></div>'),
    (".w{position:relative;color:#fff}.w i{position:absolute;inset:0;background:#024;z-index:-1}", "<div class=w><i></i>@</div>"),
]]  # fmt: skip


test_what_chromium_does_not_paint_goes, test_what_chromium_paints_stays, test_chromium_paints_the_same = judged_alike(
    HIDDEN, SEEN
)
