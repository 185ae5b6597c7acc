"""Elements that show what is in them in their own way. Each checked in Chromium."""

from __future__ import annotations

from painted_cases import BOX, judged_alike

PART = "<template shadowrootmode=open><style>p{color:#fff}</style><p part=f>@</p></template>"
HIDDEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ("", "<textarea rows=0 style='height:0'>@</textarea>"),
    ("", "<input type=button value='@'>"),
    ("", "<meter>@</meter>"),
    ("", "<marquee style='height:0'>@</marquee>"),
    ("", "<acronym title='@'>a</acronym>"),
    ("", "<link title='@'>"),
    ("", "<details><summary style='visibility:hidden'>s</summary>@</details>"),
    ("", "<details><summary style='opacity:0'>s</summary>@</details>"),
    ("", "<details><summary style='font-size:0'>s</summary>@</details>"),
    ("", "<details><summary style='position:absolute;left:-9999px'>s</summary>@</details>"),
    ("", "<dialog open hidden>@</dialog>"),
    ("", "<ruby><rp>@</rp></ruby>"),
    ("", "<table style='display:block;height:0;overflow:hidden'><tr><td>@</table>"),
    ("", "<table style='position:absolute;left:-9999px'><tr><td>@</table>"),
    ("", "<p style=' display : none '>@</p>"),
    ("", "<p style='display:none/*'>@</p>"),
    ("x-a::part(f){display:none}", "<x-a><template shadowrootmode=open><p part=f>@</p></template></x-a>"),
    ("x-a::part(f){opacity:0}", "<x-a><template shadowrootmode=closed><p part='e f'>@</p></template></x-a>"),
    (".k::part(f){color:#fff}", "<x-a class=k><template shadowrootmode=open><p part=f>@</p></template></x-a>"),
    ("", "<style title=a>.x{display:none}</style><style title=b>.x{display:block}</style><p class=x>@</p>"),
    ("", "<select><option>a<option hidden>@</select>"),
]]  # fmt: skip
SEEN = [(one, BOX) if isinstance(one, str) else one for one in [
    ("", "<p hidden style='display:block'>@</p>"),
    ("", "<object>@</object>"),
    ("", "<picture>@<img></picture>"),
    ("", "<select size=3><option>a<option>@</select>"),
    ("", "<dir>@</dir>"),
    ("", "<layer>@</layer>"),
    ("", "<slot>@</slot>"),
    ("", "<source>@"),
    ("", "<table><tr>@<td>a</table>"),
    ("", "<table style='table-layout:fixed;width:100px'><tr><td style='width:0;overflow:hidden'>@<td>b</table>"),
    ("", "<table><tr style='height:0;overflow:hidden'><td>@</table>"),
    ("", "<table><tr><td style='height:0;overflow:hidden'>@</table>"),
    ("", "<table><tr><td style='width:0;overflow:hidden'>@</table>"),
    ("", "<table style='height:0;overflow:hidden'><tr><td>@</table>"),
    ("", "<font color=fff>@</font>"),
    ("", "<basefont color=white>@"),
    ("", "<table style='display:none'><tr><p>@</p></table>"),
    ("", "<option style='display:none'><option>@</option>"),
    ("", "<!-- a --!> @ -->"),
    ("", "<![if !IE]>@<![endif]>"),
    ("x-a::part(f):hover{display:none}", "<x-a><template shadowrootmode=open><p part=f>@</p></template></x-a>"),
    ("x-b::part(f){display:none}", "<x-a><template shadowrootmode=open><p part=f>@</p></template></x-a>"),
    ("x-a::part(f g){display:none}", "<x-a><template shadowrootmode=open><p part=f>@</p></template></x-a>"),
    (".k::part(f){color:#000}", f"<x-a class=k>{PART}</x-a>"),
    ("x-a::part(f){display:none}", "<p part=f>@</p>"),
    ("", "<style title=a>.y{display:none}</style><style title=b>.x{display:none}</style><p class=x>@</p>"),
    ("", "<select><option selected hidden>@<option>b</select>"),
]]  # fmt: skip


test_what_chromium_does_not_paint_goes, test_what_chromium_paints_stays, test_chromium_paints_the_same = judged_alike(
    HIDDEN, SEEN
)
