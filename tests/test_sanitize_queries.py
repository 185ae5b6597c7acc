"""Conditions, selectors, values and animations: which of a page's rules hold. Each checked in Chromium."""

from __future__ import annotations

import pytest
from chromium import installed
from painted_cases import BOX, disagreements, shows

HIDDEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ".x{color:rgb(255,255,255)}",
    ".x{color:lab(100 0 0)}",
    ".x{color:color(xyz 0.9505 1 1.089)}",
    ".x{color:color-mix(in oklab,white,white)}",
    ".x{color:color(from black srgb 1 1 1)}",
    ".x{color:#fff;color:invalid}",
    ".w{background:linear-gradient(#0000,#0000)}.x{color:#fff}",
    ".x{-webkit-text-stroke:10px #fff}",
    ".x{-webkit-text-stroke:3px white}",
    ".x{font-size:0px}",
    ".x{font-size:0rem}",
    ".x{font-size:0.1mm}",
    ".x::first-line{color:#fff}",
    ".x{display:none !important;display:block}",
    "@keyframes k{to{opacity:1}}.x{opacity:0;animation:k .1s}",
    "@keyframes k{to{color:transparent}}.x{animation:k 1s forwards}",
    "@media (scripting:enabled){.x{display:none}}",
    "@media (aspect-ratio>1){.x{display:none}}",
    "@media not (max-width:1px){.x{display:none}}",
    "@media{.x{display:none}}",
    "@supports (aspect-ratio:1){.x{display:none}}",
    "@layer{.x{display:none}}",
    "@scope (body) to (.none){.x{display:none}}",
    ".w{--a:b}@container style(--a:b){.x{display:none}}",
    ".w{--a: b }@container style(--a:b){.x{display:none}}",
    ":root{--a:b}@container style(--a:b){.x{display:none}}",
    ".w{--a:b}@container style(--a){.x{display:none}}",
    ".w{--a:b}@container not style(--a:c){.x{display:none}}",
    ".w{--a:b;--c:d}@container style(--a:b) and style(--c:d){.x{display:none}}",
    ".w{--a:b}@container style(--a:b) or style(--c:d){.x{display:none}}",
    ".w{container-type:inline-size;width:50px}@container (width<100px){.x{display:none}}",
    ".w{container-name:c;--a:b}@container c style(--a:b){.x{display:none}}",
    ".w{container-type:inline-size;width:10cqw}@container (width<200px){.x{display:none}}",
    ".x{@supports (display:grid){display:none}}",
    ".x{@layer a{display:none}}",
    "@import 'data:text/css,.x{display:none}' screen;",
    "p.x{display:none}",
    ".x:only-of-type{display:none}",
    ".w:has(.x){display:none}",
    "[class|=x]{display:none}",
    "[class=\\78]{display:none}",
    "p:nth-child(1 of :not(.y)){display:none}",
    "p,div .y{display:none}",
    ":root:has(.x) body .x{display:none}",
    ".x{display:none;;}",
    ".x{/*a*/display/*b*/:/*c*/none/*d*/}",
    ".x{DISPLAY:NONE}",
    ".x{-webkit-opacity:0}",
    ".x{-webkit-filter:opacity(0)}",
    ".x{background:white;color:white}",
    ".x{--a:var(--a,none);display:var(--a,none)}",
    ".w{--x:initial}.x{display:var(--x,none)}",
]]  # fmt: skip
SEEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ".x{color:Highlight}",
    ".x{color:currentcolor}",
    "body{background:#222;color:#eee}.x{color:#fff}",
    ".w{background:linear-gradient(red,blue)}.x{color:#fff}",
    ".w{box-shadow:inset 0 0 0 100px #000}.x{color:#fff}",
    ".x{color:transparent;text-shadow:0 0 50px #000}",
    ".x{-webkit-text-stroke:20px white;paint-order:stroke}",
    ".w{text-decoration:line-through 30px white}",
    ".x{font-size:calc-size(auto,0px)}",
    ".x{font:0}",
    ".w{font-size:0}.x{font-size:1rem}",
    ".x{text-transform:uppercase}",
    ".w{zoom:0}",
    ".x{-webkit-text-security:none}",
    ".w{display:contents;opacity:0}",
    ".x{display:grid-lanes}",
    ".x{speak:never}",
    ".x{content:counter(a)}",
    "@keyframes k{to{opacity:0}}.x{animation:k 1s 0 forwards}",
    ".x{@starting-style{opacity:0}}",
    "@media print{.x{display:none}}",
    "@media (height<100px){.x{display:none}}",
    "@media (bogus){.x{display:none}}",
    "@supports (display:bogus){.x{display:none}}",
    "@supports (-moz-appearance:none){.x{display:none}}",
    "@supports (display:grid) and (not (display:inline-grid)){.x{display:none}}",
    "@supports (-webkit-touch-callout:none){.x{display:none}}",
    "@supports (grid-template-rows:masonry){.x{display:none}}",
    "@supports (line-clamp:2){.x{display:none}}",
    "@supports (margin-trim:block){.x{display:none}}",
    "@container (width>1px){.x{display:none}}",
    "@container (min-width:1px){.x{display:none}}",
    "@container none (width>1px){.x{display:none}}",
    "@container (width>1px) and style(--a:b){.x{display:none}}",
    "@container (orientation:landscape){.x{display:none}}",
    "@container (height>1px){.x{display:none}}",
    "@container (inline-size>1px){.x{display:none}}",
    "@namespace a{.x{display:none}}",
    ".w{container-type:inline-size;width:300px}@container (width>400px){.x{display:none}}",
    ".w{container:c/inline-size}@container d (width>1px){.x{display:none}}",
    ".w{container-type:inline-size}@container (height>1px){.x{display:none}}",
    ".x{container-type:inline-size}@container (width>1px){.x{display:none}}",
    ".w{width:200px;container-type:inline-size}@container (min-width:600px){.x{display:none}}",
    ".x:nth-child(2){display:none}",
    ".x:any-link{display:none}",
    ".x:checked{display:none}",
    ".x:dir(rtl){display:none}",
    ".x:open{display:none}",
    ".x:-moz-any(p){display:none}",
    ".x:matches(p){display:none}",
    ".x::first-letter{display:none}",
    ".x:bogus{display:none}",
    ".x:optional{display:none}",
    ".x,{display:none}",
    ",.x{display:none}",
    ".x:not(){display:none}",
    ".w::part(x) {display:none}",
    ".x:nth-col(1){display:none}",
    "@property --o{syntax:'<number>';inherits:false;initial-value:1}.w{--o:0}.x{opacity:var(--o)}",
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
