"""The main text of a page: what the model is asked, what it answers, and that real text of any language stays."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.html.features import features
from stages.html.maintext import ROWS, Trees, bridged, chosen, kept, main_blocks, model
from stages.html.markdown import Block, html_boxes
from stages.html.naming import PURPOSES, purposes
from stages.html.parsing import parsed

ENGLISH = "The ferry crosses the sound twice a day, and in winter only when the ice allows it; the timetable hangs at the pier. "
CHINESE = "渡輪每天兩次穿過海峽，冬天只有在冰層允許的時候才開航；時刻表掛在碼頭上，船長會提前一天通知乘客。"
THAI = "เรือข้ามฟากแล่นผ่านช่องแคบวันละสองครั้ง ในฤดูหนาวจะแล่นเฉพาะเมื่อน้ำแข็งเอื้ออำนวยเท่านั้น ตารางเวลาติดไว้ที่ท่าเรือ "


def read(html: str, title: str = "Ferry") -> list[str]:
    tree = parsed(f"<!DOCTYPE html><html><head><title>{title}</title></head><body>{html}</body></html>")
    assert tree.body is not None
    return [block.text for block in main_blocks(*html_boxes(tree.body), title)]


def article(text: str) -> str:
    links = "".join(f'<li class="menu-item"><a href="/{n}">Topic number {n}</a></li>' for n in range(12))
    cards = "".join(
        f'<div class="related-card"><a href="/r{n}">Another story {n}</a><span>3 min read</span></div>' for n in range(6)
    )
    return (
        f'<div class="site-header"><ul class="menu">{links}</ul></div>'
        f'<div class="content"><h1>Ferry</h1>{"".join(f"<p>{text * 3} {n}.</p>" for n in range(6))}</div>'
        f'<div class="related-posts"><h3>You may also like</h3>{cards}</div>'
        '<div class="newsletter-signup"><p>Subscribe to our newsletter</p><p>Your email address</p></div>'
        '<div class="site-footer"><p>© 2026 Sound Ferries. All rights reserved.</p><p>Privacy policy</p></div>'
    )


@pytest.mark.parametrize("text", [ENGLISH, CHINESE, THAI], ids=["English", "Chinese", "Thai"])
def test_the_text_stays_and_what_stands_around_it_goes(text: str) -> None:
    found = read(article(text))
    assert sum(text.strip() in each for each in found) == 6
    assert not [each for each in found if "Topic number" in each or "rights reserved" in each or "Another story" in each]


def test_a_page_of_a_few_lines_is_kept() -> None:
    assert read("<p>Closed on Monday.</p><p>Open again on Tuesday at nine.</p>") == [
        "Closed on Monday.",
        "Open again on Tuesday at nine.",
    ]
    assert read("") == []


def test_what_is_said_twice_is_said_once_but_for_short_words() -> None:
    long, short = Block("text", "The same sentence stands in two cards of the page."), Block("text", "Yes")
    assert kept([long, short, long, short], np.full(4, 0.9), np.array([11.0, 1, 11, 1])) == [long, short, short]


def test_what_stands_in_a_small_hole_is_kept_unless_it_is_links() -> None:
    blocks = [Block("text", text) for text in ("One.", "label", "Two.", "a", "b", "c", "d", "Three.")]
    flags, chances = np.array([1, 0, 1, 0, 0, 0, 0, 1], bool), np.array([0.9, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.9])
    assert bridged(blocks, flags, chances) == [True, True, True, False, False, False, False, True]
    assert bridged([*blocks[:1], Block("text", "label", linked=5), *blocks[2:]], flags, chances)[1] is False
    assert bridged(blocks, flags, np.where(flags, 0.9, 0.01))[1] is False


def test_the_model_knows_the_columns_by_their_names() -> None:
    tree = parsed(article(ENGLISH))
    assert tree.body is not None
    matrix, names = features(*html_boxes(tree.body), "Ferry")
    assert tuple(names) == model().names
    assert matrix.shape[1] == len(names)
    assert model().column.max() < len(names)
    assert names[0] == "words"


def naive(trees: Trees, row: list[float], root: int) -> float:
    at = root
    while trees.below[at][0] != at:
        at = trees.below[at][int(row[trees.column[at]] <= trees.most[at])]
    return float(trees.value[at])


@given(st.lists(st.lists(st.floats(-50, 50, width=32), min_size=3, max_size=3), min_size=1, max_size=8))
def test_trees_side_by_side_say_what_each_says(rows: list[list[float]]) -> None:
    column = np.array([0, 0, 2, 0, 0, 1, 0, 0])
    most = np.array([1.5, np.inf, -3.0, np.inf, np.inf, 7.0, np.inf, np.inf])
    below = np.array([[1, 2], [1, 1], [3, 4], [3, 3], [4, 4], [6, 7], [6, 6], [7, 7]])
    value = np.array([0, 0.5, 0, -1.0, 2.0, 0, 0.25, -0.75])
    trees = Trees(column=column, most=most, below=below, value=value, roots=np.array([0, 5]), depth=2, names=("a", "b", "c"))
    sums = [naive(trees, row, 0) + naive(trees, row, 5) for row in rows]
    expected = [round(1 / (1 + float(np.exp(-total))), 6) for total in sums]
    assert trees.chances(np.asarray(rows, np.float32)).tolist() == pytest.approx(expected, abs=2e-6)


def test_a_page_of_many_blocks_is_judged_as_one_of_few() -> None:
    tree = parsed(article(ENGLISH))
    assert tree.body is not None
    matrix, _ = features(*html_boxes(tree.body), "Ferry")
    times = ROWS // len(matrix) + 2
    assert model().chances(np.tile(matrix, (times, 1))).tolist() == model().chances(matrix).tolist() * times


_rows = st.lists(st.tuples(st.floats(0, 1), st.integers(1, 400)), min_size=1, max_size=40)


@given(_rows)
def test_whatever_is_likelier_than_a_kept_block_is_kept_too(rows: list[tuple[float, int]]) -> None:
    chances, words = np.array([row[0] for row in rows]), np.array([row[1] for row in rows], float)
    text, links = (chosen(chances, words, [doubtful] * len(rows)) for doubtful in (False, True))
    for flags in (text, links):
        if flags.any():
            assert flags.tolist() == (chances >= chances[flags].min()).tolist()
    assert not (links & ~text).any()


_tag = st.sampled_from(["div", "p", "li", "ul", "section", "h2", "table", "td", "tr", "span", "a", "blockquote", "pre", "nav"])
_names = st.sampled_from(["", "menu", "related posts", "content", "post-body", "share", "x1y2", "comments-area", "card"])


@settings(max_examples=60)
@given(st.lists(st.tuples(_tag, _names, st.text(max_size=40)), max_size=30))
def test_any_page_has_numbers_for_every_block(parts: list[tuple[str, str, str]]) -> None:
    html = "".join(f'<{tag} class="{names}">{text.replace("<", "")}' for tag, names, text in parts)
    tree = parsed(f"<body>{html}")
    assert tree.body is not None
    blocks, boxes = html_boxes(tree.body)
    assert all(box.start <= box.end <= len(blocks) for box in boxes)
    assert all(boxes[block.box].start <= number < boxes[block.box].end for number, block in enumerate(blocks))
    if blocks:
        matrix, _ = features(blocks, boxes, "")
        assert matrix.shape[0] == len(blocks)
        assert np.isfinite(matrix).all()


@pytest.mark.parametrize(
    ("names", "says"),
    [
        ("site-nav menu", {"navigation"}),
        ("post-content entry", {"article", "content"}),
        ("sidebar widget", {"beside"}),
        ("poster", set()),
        ("navy", set()),
        ("related-posts", {"related", "article"}),
        ("a1 b2", set()),
    ],
)
def test_names_of_boxes_say_what_they_are_for(names: str, says: set[str]) -> None:
    known = list(PURPOSES)
    assert {known[number] for number in purposes(names)} == says
