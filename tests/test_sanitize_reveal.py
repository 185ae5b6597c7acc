"""What a page's own scripts show and hide while it loads, each checked in Chromium; what waits for a person does not count."""

# ruff: noqa: E501 - one case a line

from __future__ import annotations

import time

import pytest
from chromium import Chromium, installed
from selectolax.lexbor import LexborHTMLParser

from stages.records import Page
from stages.sanitize import Options, sanitize

TEXT = "MARKERQ"
REST = "".join(
    f"<p>Paragraph {number}: ordinary words about boats, nets and the weather of the coast.</p>" for number in range(9)
)
FADED = "<style>.x{opacity:0}.x.on{opacity:1}.h{display:none}.h.on{display:block}</style>"
"""Faded until it is `on`, and gone until it is."""


def page_of(body: str) -> str:
    return f"<!DOCTYPE html><html lang=en><head><title>Boats</title><style>body{{font:16px monospace}}</style></head><body>{body.replace('@', TEXT)}{REST}</body></html>"


def shows(html: str) -> bool:
    page = Page(url="https://coast.example/made", media_type="text/html", body=html.encode())
    result = sanitize.call(page, Options())
    assert sanitize.call(result, Options()) == result
    return TEXT in LexborHTMLParser(result.body.decode()).root.text(separator=" ")


SHOWN = [
    "<style>.w{position:relative}.c{position:absolute;inset:0;background:#fff}</style><div class=w><p>@</p><div class=c id=c></div></div><script>const c=document.getElementById('c');c.classList.add('done');c.remove()</script>",
    "<style>.w{position:relative}.c{position:absolute;inset:0;background:#fff}</style><div class=w><p>@</p><div class=c id=c></div></div><script>addEventListener('load',()=>{const c=document.getElementById('c');c.classList.add('done');c.parentNode.removeChild(c)})</script>",
    "<p class=x>@</p><script>addEventListener('load',()=>document.querySelectorAll('.x').forEach(e=>e.classList.add('on')))</script>",
    "<p class=x>@</p><script>document.addEventListener('DOMContentLoaded',function(){var all=document.querySelectorAll('.x');for(var i=0;i<all.length;i++){all[i].className+=' on'}});</script>",
    "<p class=x id=a>@</p><script>document.getElementById('a').style.opacity=1</script>",
    "<p class=h id=a>@</p><script>window.onload = function () { document.getElementById('a').style.display = 'block'; };</script>",
    "<p style='visibility:hidden' id=a>@</p><script>(function(){ 'use strict'; document.getElementById('a').style.visibility='visible' })()</script>",
    "<p hidden id=a>@</p><script>document.querySelector('#a').hidden = false</script>",
    "<p hidden id=a>@</p><script>document.querySelector('#a').removeAttribute('hidden')</script>",
    "<p style='display:none' id=a>@</p><script>a.removeAttribute('style')</script>",
    "<p class='h' id=a>@</p><script>document.getElementById('a').setAttribute('class','seen')</script>",
    "<p class=h>@</p><script>document.currentScript.previousElementSibling.classList.toggle('h')</script>",
    "<style>.no-js p.y{display:none}</style><div class='no-js'><p class=y>@</p></div><script>for (const e of document.getElementsByClassName('no-js')) { e.classList.replace('no-js', 'js'); break }</script>",
    "<script>document.documentElement.className = document.documentElement.className.replace(/(^|\\s)no-js(\\s|$)/, '$1js$2'); document.documentElement.classList.add('js')</script><style>html:not(.js) .y{opacity:0}</style><p class=y>@</p>",
    "<style>body:not(.loaded) .y{opacity:0}</style><p class=y>@</p><script>requestAnimationFrame(() => requestAnimationFrame(() => document.body.classList.add('loaded')))</script>",
    "<style>.y{opacity:0;transition:opacity .1s}.ready .y{opacity:1}</style><p class=y>@</p><script>setTimeout(function(){document.body.className='ready'},50)</script>",
    "<p class=x>@</p><script>const io=new IntersectionObserver((entries,o)=>{entries.forEach(entry=>{if(entry.isIntersecting){entry.target.classList.add('on');o.unobserve(entry.target)}})},{threshold:.1});document.querySelectorAll('.x').forEach(el=>io.observe(el))</script>",
    "<p class=x>@</p><script>if(!('IntersectionObserver' in window)){}else{var o=new IntersectionObserver(function(es){for(var i=0;i<es.length;i++){var {target,intersectionRatio}=es[i];if(intersectionRatio>0)target.classList.add('on')}});Array.prototype.forEach.call(document.querySelectorAll('.x'),function(e){o.observe(e)})}</script>",
    "<p class=x>@</p><script>function init(){for(const e of document.getElementsByClassName('x')){e.classList.add('on')}}\nif(document.readyState==='loading'){document.addEventListener('DOMContentLoaded',init)}else{init()}</script>",
    "<p class=x>@</p><script>function reveal(){document.querySelectorAll('.x').forEach(function(e){if(e.getBoundingClientRect().top<window.innerHeight-50){e.classList.add('on')}})}window.addEventListener('scroll',reveal);reveal();</script>",
    "<details id=d><summary style='display:none'>More</summary><p>@</p></details><script>document.getElementById('d').open = true</script>",
    "<dialog id=d><p>@</p></dialog><script>document.getElementById('d').show()</script>",
    "<style>[data-state=closed]{display:none}</style><div data-state=closed id=a>@</div><script>document.getElementById('a').dataset.state='open'</script>",
    "<style>.y{opacity:var(--o,0)}</style><p class=y>@</p><script>document.documentElement.style.setProperty('--o', '1')</script>",
    "<style>.tab{display:none}</style><button id=first onclick=\"openTab(event,'one')\">One</button><div id=one class=tab>@</div><script>function openTab(evt,name){var i,t=document.getElementsByClassName('tab');for(i=0;i<t.length;i++){t[i].style.display='none'}document.getElementById(name).style.display='block';evt.currentTarget.className+=' active'}\ndocument.getElementById('first').click();</script>",
    "<p class=x id=a>@</p><script type=module>const el = document.querySelector('#a'); el?.classList.add(...['on', `is-${1 + 1}`]);</script>",
    "<p class=x id=a>@</p><script>const parts = ['a']; parts.map(id => document.getElementById(id)).filter(Boolean).forEach(({classList}) => classList.add('on'))</script>",
    "<p class=x id=a>@</p><script>document.fonts.ready.then(() => { document.querySelector('.x').classList.add('on') })</script>",
    "<p class=x id=a>@</p><script>try { nowhere.at.all() } catch (e) { document.querySelector('.x').classList.add('on') }</script>",
    "<p class=x id=a>@</p><script>if (window.matchMedia('(prefers-reduced-motion: no-preference)').matches) { Object.assign(document.querySelector('.x').style, {opacity: 1}) }</script>",
    "<p class=x id=a>@</p><script>document.querySelector('.x').animate([{opacity:0},{opacity:1}],{duration:50,fill:'forwards'})</script>",
    "<p class=x>@</p><script>document.querySelectorAll('.x').forEach((e,i)=>{setTimeout(()=>{e.classList.add('on')},20*i+10)})</script>",
    "<p class=y style='opacity:0'>@</p><script>var s=document.createElement('style');s.textContent='.y{opacity:1!important}';document.head.appendChild(s)</script>",
    "<p class=x>@</p><script>// fade in\n/* all of them */ !function(d, w) { w.addEventListener('load', function once() { var e = d.querySelector('.x'); e && e.classList.add('on'), 1 }) }(document, window)</script>",
]  # fmt: skip
TRAPS = [
    "<script>document.write('<style>.y{position:absolute;clip:rect(450px,auto,auto,450px)}</style>')</script><p class=y>@</p>",
    "<p class=x>@</p><script>function never(){document.querySelector('.x').classList.add('on')}</script>",
    "<p class=x>@</p><button id=b>Show</button><script>document.getElementById('b').addEventListener('click',()=>document.querySelector('.x').classList.add('on'))</script>",
    "<p class=x>@</p><script>window.addEventListener('scroll',()=>document.querySelector('.x').classList.add('on'))</script>",
    "<p class=x>@</p><script>document.querySelector('.x').onmouseover=function(){this.classList.add('on')}</script>",
    "<p class=x>@</p><script>// document.querySelector('.x').classList.add('on')\n/* document.querySelector('.x').classList.add('on') */</script>",
    "<p class=x>@</p><script>var code=\"document.querySelector('.x').classList.add('on')\";var more=`x.classList.add('on')`</script>",
    "<p class=x>@</p><script>if(false){document.querySelector('.x').classList.add('on')}if(1>2)document.querySelector('.x').style.opacity=1;0&&document.querySelector('.x').classList.add('on')</script>",
    "<p class=x>@</p><script type='text/template'>document.querySelector('.x').classList.add('on')</script>",
    "<p class=x>@</p><script>document.querySelector('.x').classList.add('shown')</script>",
    "<script>document.querySelector('.x').classList.add('on')</script><p class=x>@</p>",
    "<script>document.querySelectorAll('.x').forEach(e=>e.classList.add('on'))</script><p class=x>@</p>",
    "<p class=x>@</p><script>nowhere();document.querySelector('.x').classList.add('on')</script>",
    "<p class=x>@</p><script>document.querySelector('.x').classList.add('on');document.querySelector('.x').classList.remove('on')</script>",
    "<p class=x>@</p><script>$('.x').addClass('on').show()</script>",
    "<p class=x>@</p><script>document.querySelector('.x').style.opacity='yes';document.querySelector('.x').style.filter='none'</script>",
    "<p class=x>@</p><script>return_;document.querySelector('.x').style.opacity=1</script>",
    "<p id=a>@</p><script>document.getElementById('a').style.display='none'</script>",
    "<p id=a>@</p><script>addEventListener('load',function(){document.getElementById('a').hidden=true})</script>",
    "<style>.gone{position:absolute;left:-9999px}</style><p id=a>@</p><script>setTimeout(()=>document.getElementById('a').classList.add('gone'),30)</script>",
    "<p id=a>@</p><script>document.getElementById('a').style.cssText='color:transparent'</script>",
    "<p id=a>@</p><script>var s=document.createElement('style');s.textContent='#a{display:none}';document.head.appendChild(s)</script>",
    "<p class=x>@</p><script>while(true){break}(function f(){return;document.querySelector('.x').classList.add('on')})()</script>",
    "<p class=x>@</p><script>document.querySelector('.x').classList.add('on' </script>",
]  # fmt: skip


@pytest.mark.parametrize("body", SHOWN)
def test_what_a_script_shows_while_the_page_loads_stays(body):
    assert shows(page_of(FADED + body))


@pytest.mark.parametrize("body", TRAPS)
def test_what_no_script_shows_or_one_hides_goes(body):
    assert not shows(page_of(FADED + body))


SHOW = "document.querySelector('.x').classList.add('on');"


@pytest.mark.parametrize(
    "script",
    [
        "while(true){}", "(function f(){f()})()", "for(;;)setTimeout(()=>{})", "(" * 9000 + ")" * 9000, "[" * 9000, "var s='x';for(;;)s+=s",
        "'x'.repeat(1e9)", "/(a+)+$/.test('" + "a" * 60 + "b')", "x=" + "-" * 9000 + "1", "`${" * 900, "'use strict" + "\\'" * 9000,
        "var a=[];for(;;)a.push(a)", "var o={};o.o=o;o+''", "/*" + "*" * 9000, "/" + "a?" * 40 + "a" * 40 + "/.test('" + "a" * 40 + "')", "for(;;)document.querySelectorAll('p')", "1/0/0//", "new Proxy", "`${`${`${1}`}`}`",
    ],
)  # fmt: skip
def test_a_script_without_an_end_or_a_meaning_ends_and_changes_nothing(script):
    html = page_of(f"{FADED}<p class=x>@</p><script>{script}</script>")
    started = time.process_time()
    assert not shows(html)
    assert time.process_time() - started < 2


def test_what_a_script_did_before_it_is_lost_is_taken_back():
    assert not shows(page_of(f"{FADED}<p class=x>@</p><script>{SHOW}while(true){{}}</script>"))
    assert shows(
        page_of("<p class=x>@</p><script>document.querySelector('.x').style.display='none';label:for(;;)break label</script>")
    )


@pytest.mark.parametrize("library", ["https://code.example/jquery-3.7.1.min.js", ""])
@pytest.mark.parametrize(
    "script", ["$('.h').show()", "jQuery(function($){ $('.h').fadeIn(300).addClass('seen') })", "$(document).ready(()=>$('.h').each(function(){ $(this).css({display:'block'}) }))"]
)  # fmt: skip
def test_jquery_shows_where_the_page_loads_it(library, script):
    source = f'<script src="{library}"></script>' if library else ""
    assert shows(page_of(f"{FADED}{source}<p class=h>@</p><script>{script}</script>")) is bool(library)


def test_what_a_script_writes_into_attributes_is_not_written_out_where_it_could_carry_text():
    html = page_of("<p id=a>@</p><script>a.setAttribute('title','QUARTZ');a.setAttribute('alt','QUARTZ');a.id='b'</script>")
    page = sanitize.call(Page(url="https://coast.example/made", media_type="text/html", body=html.encode()), Options())
    assert b"QUARTZ" not in page.body


@pytest.mark.skipif(not installed(), reason="there is no Chromium on PATH")
def test_chromium_shows_and_hides_the_same(tmp_path):
    with Chromium(tmp_path) as browser:
        wrong = [
            (body, wanted)
            for bodies, wanted in ((SHOWN, True), (TRAPS, False))
            for body in bodies
            if bool(browser.painted(page_of(FADED + body), [TEXT], settle_ms=200)) is not wanted
        ]
    assert wrong == []


def test_a_pattern_of_another_tongue_is_no_warning(recwarn):
    html = page_of(
        FADED + "<p class=x>@</p><script>if (/[[a]/.test('a')) { document.querySelector('.x').classList.add('on') }</script>"
    )
    assert not shows(html)
    assert not recwarn.list
