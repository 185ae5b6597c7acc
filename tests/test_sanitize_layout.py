"""Places, transforms, shapes, masks and sizes: what of a page lies where somebody sees it. Each checked in Chromium."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

import pytest
from chromium import installed
from painted_cases import BOX, disagreements, shows

HIDDEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ".x{position:absolute;left:-50%;width:300px}",
    ".x{position:fixed;inset:100% auto auto 0}",
    ".x{position:absolute;transform:translateX(-100%);left:0}",
    ".x{position:fixed;left:0;transform:translateX(-100%)}",
    ".x{position:fixed;left:0;top:0;translate:-100%}",
    ".x{position:fixed;right:0;top:0;transform:translateX(100%)}",
    ".x{transform:rotate(90deg);transform-origin:0 0;position:absolute;left:-50px}",
    ".x{position:absolute;top:0;left:0;transform-origin:top left;transform:rotate(180deg)}",
    ".x{position:absolute;top:0;left:0;transform-origin:0 0;rotate:180deg}",
    ".x{transform:matrix3d(1,0,0,0,0,0,0,0,0,0,1,0,0,0,0,1)}",
    ".x{transform:perspective(100px) translateZ(200px)}",
    ".x{transform-origin:-5000px 0;transform:rotate(180deg)}",
    ".x{transform-origin:0 -3000px;transform:scaleY(-1)}",
    ".x{clip-path:shape(from 0 0, line to 0 0, close)}",
    ".x{clip-path:inset(0 0 100% 0)}",
    ".x{clip-path:circle(10px at -100px -100px)}",
    ".x{clip-path:circle(20px at 150% 50%)}",
    ".x{clip-path:xywh(-200px 0 100px 100%)}",
    ".x{clip-path:rect(0 0 0 0)}",
    (".x{clip-path:url(#c)}", "<svg width=0 height=0 style='position:absolute'><clipPath id=c><rect width=0 height=0 /></clipPath></svg><p class=x>@</p>"),
    (".x{clip-path:url(#c)}", "<svg width=0 height=0 style='position:absolute'><clipPath id=c></clipPath></svg><p class=x>@</p>"),
    ".x{position:absolute;clip:rect(0 0 0 0);overflow:visible}",
    ".x{mask:linear-gradient(#000,#000) no-repeat -9999px 0}",
    ".x{mask:linear-gradient(#000 0 0) exclude,linear-gradient(#000 0 0)}",
    ".x{-webkit-mask-image:linear-gradient(rgba(0,0,0,0),rgba(0,0,0,0))}",
    ".x{filter:blur(200px)}",
    "body{background:#fff}.x{background:#fff;filter:contrast(0)}",
    ".w{background:#fff}.x{mix-blend-mode:color}",
    ".w{background:#fff}.x{mix-blend-mode:hue}",
    ".w{background:#fff}.x{mix-blend-mode:soft-light}",
    ".w{background:#fff}.x{mix-blend-mode:overlay}",
    ".w{background:#fff}.x{mix-blend-mode:color-burn}",
    ".w{background:#000}.x{mix-blend-mode:overlay;color:#fff}",
    ".w{background:#000}.x{mix-blend-mode:soft-light;color:#fff}",
    ".w{background:#000}.x{mix-blend-mode:color-dodge;color:#fff}",
    ".w{background:#000}.x{mix-blend-mode:hue;color:#f00}",
    ".w{background:#000}.x{mix-blend-mode:saturation;color:#f00}",
    ".x{opacity:var(--n,0)}",
    ".x{opacity:progress(0, 0, 1)}",
    ".x{opacity:calc(1px / 1px - 1)}",
    ".x{max-height:0;overflow:hidden}",
    ".x{max-width:0;overflow:hidden}",
    ".w{height:100px}.x{height:0%;overflow:hidden}",
    ".w{height:0}.x{height:100%;overflow:hidden}",
    ".w{height:0;overflow:visible}.x{height:100%;overflow:hidden}",
    ".x{aspect-ratio:1/0;overflow:hidden;width:0}",
    ".x{aspect-ratio:1000/1;width:100px;overflow:hidden;min-height:0}",
    ".x{container-type:size;overflow:hidden}",
    ".w{display:grid;grid-auto-rows:0}.x{overflow:hidden;margin:0}",
    ".w{display:flex;height:0;overflow:hidden}",
    ".x{line-height:200px;height:20px;overflow:hidden}",
    (".x{height:1.2em;overflow:hidden}", "<div class=x>one<br>@</div>"),
    (".x{max-height:20px;overflow:hidden}", "<div class=x><p style='margin:0'>one</p><p>@</p></div>"),
    (".x{height:20px;overflow:hidden}", "<div class=x><div style='height:40px'></div>@</div>"),
    (".x{height:20px;overflow:hidden}", "<div class=x><img style='display:block;height:50px'>@</div>"),
    (".x{width:100px;white-space:nowrap;overflow:hidden}", "<p class=x>aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa <b>@</b></p>"),
    (".x{width:50px;overflow:hidden;white-space:nowrap}", "<p class=x><span style='padding-left:80px'>@</span></p>"),
    (".x{width:50px;overflow:hidden;white-space:nowrap}", "<p class=x><span style='margin-left:80px'>@</span></p>"),
    ".x{text-indent:100%;overflow:hidden;white-space:nowrap}",
    ".x{padding-left:9999px;overflow:hidden}",
    "body{overflow-x:hidden}.x{padding-left:200vw}",
    ".x{padding-left:100%;overflow:hidden}",
    ".x{padding-left:100%;width:0;overflow:hidden;white-space:nowrap}",
    ".w{overflow:hidden;height:50px}.x{margin-top:-100px}",
    ".w{overflow:hidden;}.x{transform:translateX(100%)}",
    ".w{overflow:hidden;}.x{transform:translateX(-100%)}",
    ".w{position:relative;overflow:hidden}.x{position:absolute;left:110%;top:0}",
    ".w{overflow:hidden;height:0;transform:translate(0)}.x{position:fixed;top:0}",
    ".w{overflow:hidden;height:0;filter:blur(0)}.x{position:absolute;top:0}",
    ".w{overflow:hidden;height:0;will-change:transform}.x{position:absolute}",
    ".w{overflow:hidden;height:0;contain:layout}.x{position:absolute;top:0}",
    ".x{writing-mode:vertical-lr;inset-inline-start:-9999px;position:absolute}",
    "html{direction:rtl}.x{position:absolute;right:-9999px}",
    ".x{position:absolute;left:-9999in}",
    ".x{position:absolute;left:-70lh}",
    ".x{position:absolute;left:-80ric}",
    ".x{float:left;margin-left:-9999px}",
    ".x{offset:path('M0 0 L-9999 0') 100%}",
    ".x{offset-path:path('M0 0 H-9999');offset-distance:100%}",
]]  # fmt: skip
SEEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ".x{position:absolute;left:0;top:0;transform:translateY(-100%)}",
    ".x{clip-path:polygon(0 0,100% 0,100% 100%,0 100%)}",
    ".x{clip-path:inset(0)}",
    ".x{clip-path:ellipse(50% 50%)}",
    ".x{clip-path:url(#none)}",
    ".x{position:absolute;clip:rect(0 auto auto auto)}",
    ".x{filter:contrast(0)}",
    ".x{filter:hue-rotate(90deg)}",
    ".w{position:relative}.w::after{content:'';position:absolute;inset:0;backdrop-filter:blur(50px)}",
    ".x{mix-blend-mode:lighten}",
    ".w{background:#000;color:#fff}.x{mix-blend-mode:lighten}",
    ".x{mix-blend-mode:luminosity}",
    ".w{background:#000}.x{mix-blend-mode:hard-light;color:#fff}",
    ".x{opacity:if(style(--a: b): 0; else: 1)}",
    ".x{opacity:random(0,0)}",
    ".x{height:0%;overflow:hidden}",
    ".x{contain:size}",
    ".w{display:flex;flex-direction:column;height:100px}.x{flex:1 1 0;overflow:hidden}",
    ".w{display:inline-flex}.x{flex:1;overflow:hidden;min-width:0}",
    ".x{line-height:.01;overflow:hidden}",
    ".x{text-indent:-9999px hanging}",
    ".x{letter-spacing:-10em}",
    ".x{letter-spacing:9999px}",
    ".w{overflow:hidden;}.x{transform:translateY(100%)}",
    ".w{overflow:hidden;height:0;transform:none}.x{position:fixed;top:0}",
    ".w{overflow:hidden;height:0;container-type:inline-size}.x{position:absolute;top:0}",
    ".w{column-count:1;column-span:all}",
    ".x{position:static;left:-9999px}",
    ".x{position:absolute;position-anchor:--a;right:anchor(left)}",
]]  # fmt: skip


@pytest.mark.parametrize("case", HIDDEN, ids=" ".join)
def test_what_chromium_does_not_paint_goes(case):
    assert not shows(case)


@pytest.mark.parametrize("case", SEEN, ids=" ".join)
def test_what_chromium_paints_stays(case):
    assert shows(case)


@pytest.mark.skipif(not installed(), reason="there is no Chromium on PATH")
def test_chromium_paints_the_same(tmp_path):
    assert disagreements(tmp_path, HIDDEN, SEEN) == []
