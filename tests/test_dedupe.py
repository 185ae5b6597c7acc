"""Fusing rankings and telling pages apart."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.dedupe import Options, dedupe
from stages.engines.fusion import fuse
from stages.records import Drop, Found, Hit


def _hit(
    url: str, *, rank: int = 1, engine: str = "one", family: str = "", query: str = "q", weight: float = 1.0, **fields: object
) -> Hit:
    place = Found(engine=engine, family=family or engine, query=query, rank=rank, weight=weight)
    return Hit(**{"url": url, "found": (place,), **fields})  # type: ignore[arg-type]


def _dedupe(hits: list[Hit], limit: int = 100, **options: Any) -> tuple[list[Hit], list[Drop]]:
    records = dedupe.call(hits, Options(limit=limit, **options))
    kept = [record for record in records if isinstance(record, Hit)]
    assert records[: len(kept)] == kept
    return kept, records[len(kept) :]


def test_addresses_of_one_page_become_one_hit_with_the_best_of_each() -> None:
    kept, drops = _dedupe(
        [
            _hit("http://www.a.example/x/", rank=1, title="Tide mills of the \u2026", snippet="Short."),
            _hit(
                "https://a.example/x?utm_source=n",
                rank=3,
                engine="two",
                title="Tide mills of the north",
                snippet="A longer text.",
            ),
            _hit("https://m.a.example/x", rank=2, engine="three", published="2020-01-01", published_trust="semi"),
        ]
    )
    assert len(kept) == 1
    page = kept[0]
    assert page.url == "https://m.a.example/x"
    assert (page.title, page.snippet, page.published) == ("Tide mills of the north", "A longer text.", "2020-01-01")
    assert [place.engine for place in page.found] == ["one", "two", "three"]
    assert [(drop.reason, drop.subject) for drop in drops] == [
        ("duplicate", "http://www.a.example/x/"),
        ("duplicate", "https://a.example/x?utm_source=n"),
    ]


def test_the_more_trusted_date_is_kept() -> None:
    kept, _ = _dedupe(
        [
            _hit("https://a.example/", published="2024-05-05", published_trust="untrusted"),
            _hit("https://a.example/", engine="two", published="2020-01-01", published_trust="trusted"),
        ]
    )
    assert (kept[0].published, kept[0].published_trust) == ("2020-01-01", "trusted")


def test_two_families_that_agree_beat_one_and_two_engines_of_one_family_hardly_do() -> None:
    kept, _ = _dedupe(
        [
            _hit("https://same.example/", rank=2, engine="bing", family="bing"),
            _hit("https://same.example/", rank=2, engine="duckduckgo", family="bing"),
            _hit("https://alone.example/", rank=1, engine="bing", family="bing"),
            _hit("https://both.example/", rank=2, engine="yahoo", family="bing"),
            _hit("https://both.example/", rank=2, engine="mojeek", family="mojeek"),
        ]
    )
    assert [hit.url for hit in kept] == ["https://both.example/", "https://alone.example/", "https://same.example/"]
    assert [hit.score for hit in kept] == [0.5, 0.46875, 0.390625]
    assert kept[0].parts == {"ranks": 0.5}


def test_the_families_behind_a_metasearch_engine_are_its_witnesses() -> None:
    place = Found(engine="searxng", family="searxng", query="q", rank=5, families=("bing", "google"), ranks=(1, 3, 9))
    other = _hit("https://a.example/", engine="duckduckgo", family="bing", rank=2)
    page = fuse([(0, Hit(url="https://a.example/", found=(place,))), (1, other)])
    assert page.ranks == pytest.approx(1 / 2 * 1.25 + 0.6 / 4)


def test_a_page_that_an_engine_shows_twice_counts_once() -> None:
    kept, _ = _dedupe([_hit("https://a.example/", rank=4), _hit("https://a.example/#x", rank=1)])
    assert kept[0].score == 0.5
    assert [place.rank for place in kept[0].found] == [1]


def test_what_title_and_snippet_say_lifts_a_hit_as_much_as_its_place_and_the_parts_tell() -> None:
    kept, _ = _dedupe(
        [
            _hit("https://first.example/", rank=1, title="Windmills", query="tide mill"),
            _hit("https://second.example/", rank=2, title="A tide mill", query="tide mill"),
        ]
    )
    assert [hit.url for hit in kept] == ["https://second.example/", "https://first.example/"]
    assert kept[0].parts == {"ranks": 0.333333, "text": 0.5}
    assert kept[1].parts == {"ranks": 0.5}


@pytest.mark.parametrize(
    ("query", "better", "worse"),
    [
        ("潮汐 水车", "潮汐驱动的水车", "风车"),
        ("приливная мельница", "Приливные мельницы", "Ветряки"),
        ("die Mühle an der See", "Mühlen an der See", "Windräder an der See"),
        ("best heliotrope", "Heliotrope in the garden", "Best of everything"),
        ('"tide mill" wheel', "The tide mill: its wheel", "The mill wheel, the tide"),
    ],
)
def test_words_of_any_script_count_by_how_rare_they_are(query: str, better: str, worse: str) -> None:
    others = [_hit(f"https://h{number}.example/", rank=9, title="The best of it all", query=query) for number in range(5)]
    kept, _ = _dedupe(
        [
            _hit("https://w.example/", rank=2, title=worse, query=query),
            _hit("https://b.example/", rank=2, title=better, query=query),
            *others,
        ]
    )
    assert kept[0].url == "https://b.example/"


def test_the_text_is_held_against_the_query_that_found_it_and_by_its_weight() -> None:
    kept, _ = _dedupe(
        [
            _hit("https://de.example/", title="Gezeitenmühle", query="Gezeitenmühle", weight=0.5),
            _hit("https://en.example/", title="Tide mill", query="tide mill"),
            _hit("https://not.example/", title="Gezeitenmühle", query="tide mill"),
        ]
    )
    assert [hit.parts.get("text", 0.0) for hit in kept] == [0.5, 0.25, 0.0]


STORY = "The old mill at the quay turned again on Sunday when the spring tide filled its pond to the brim."


def _story(url: str, **fields: Any) -> Hit:
    return _hit(url, **({"title": "Old mill turns again", "snippet": STORY} | fields))


def test_a_syndicated_copy_goes_with_its_original_whose_place_is_the_best_of_them() -> None:
    kept, drops = _dedupe(
        [
            _story("https://copy.example/1", rank=1, published="2026-01-03", published_trust="semi"),
            _hit("https://other.example/", rank=2),
            _story("https://paper.example/2", rank=3, published="2026-01-02", published_trust="trusted", title="Old mill turns"),
            _story("https://paper.example/2?utm_source=x", rank=4),
        ]
    )
    assert [hit.url for hit in kept] == ["https://paper.example/2", "https://other.example/"]
    assert [(drop.subject, drop.reason, drop.message) for drop in drops] == [
        ("https://copy.example/1", "duplicate", "same text as https://paper.example/2"),
        ("https://paper.example/2?utm_source=x", "duplicate", "same page as https://paper.example/2"),
    ]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"url": "https://a.example/v1/mill"}, {"url": "https://a.example/v2/mill"}),
        ({"url": "https://a.example/x", "title": "Tides 2024"}, {"url": "https://b.example/x", "title": "Tides 2025"}),
        ({"url": "https://a.example/x", "title": "Weir"}, {"url": "https://b.example/x", "title": "Pond"}),
        ({"url": "https://a.example/x", "snippet": "Read more."}, {"url": "https://b.example/x", "snippet": "Read more."}),
        ({"url": "https://a.example/x"}, {"url": "https://b.example/x", "snippet": f"{STORY} Then the gate broke and it stood."}),
    ],
)  # fmt: skip
def test_editions_parts_templates_and_short_snippets_stay_apart(one: dict[str, str], other: dict[str, str]) -> None:
    kept, drops = _dedupe([_story(**one), _story(**other)])
    assert (len(kept), drops) == (2, [])


def test_a_domain_may_be_held_to_a_number_of_hits() -> None:
    kept, drops = _dedupe([_hit(f"https://{name}/", rank=rank) for rank, name in enumerate(
        ("a.example", "www.shop.co.uk", "b.shop.co.uk", "c.shop.co.uk", "d.example"), 1)], per_domain=1, limit=2)  # fmt: skip
    assert [hit.url for hit in kept] == ["https://a.example/", "https://www.shop.co.uk/"]
    assert [drop.message for drop in drops] == ["2 of shop.co.uk", "3 of shop.co.uk", "5 of 5"]


def test_the_published_formula_adds_text_domain_recency_and_provider() -> None:
    dated = (
        ("https://a.gov/", "Latest mill", "2026-01-10", "trusted"),
        ("https://b.example/", "Mill", "2025-10-12", "semi"),
        ("https://c.example/", "Mühle", "2026-01-01", "untrusted"),
    )
    hits = [
        _hit(url, rank=rank, query="latest mill news", title=title, published=day, published_trust=trust)
        for rank, (url, title, day, trust) in enumerate(dated, 1)
    ]
    kept, _ = _dedupe(hits, formula="published")
    assert [hit.url for hit in kept] == ["https://a.gov/", "https://b.example/", "https://c.example/"]
    assert [{name: round(part, 2) for name, part in hit.parts.items() if name != "text"} for hit in kept] == [
        {"domain": 0.19, "recency": 0.2, "provider": 0.1},
        {"domain": 0.1, "recency": 0.1, "provider": 0.07},
        {"domain": 0.1, "recency": 0.1, "provider": 0.05},
    ]
    assert all(hit.score == pytest.approx(sum(hit.parts.values()), abs=1e-5) for hit in kept)
    untimely, _ = _dedupe(
        [_hit("https://a.example/", query="mill", published="2020-01-01", published_trust="trusted")], formula="published"
    )
    assert untimely[0].parts["recency"] == 0.1


@pytest.mark.parametrize(
    ("query", "title"), [("приливная мельница", "Приливная мельница"), ("潮汐水车", "潮汐水车"), ("über Mühlen", "Über Mühlen")]
)
def test_the_published_formula_reads_every_script(query: str, title: str) -> None:
    kept, _ = _dedupe(
        [_hit("https://a.example/", query=query, title=title), _hit("https://b.example/", query=query)], formula="published"
    )
    assert kept[0].parts["text"] == pytest.approx(0.5, abs=0.01)
    assert kept[1].parts["text"] == 0


def test_a_query_counts_by_its_weight() -> None:
    kept, _ = _dedupe([_hit("https://short.example/", query="k", weight=0.7), _hit("https://full.example/", query="q")])
    assert [hit.url for hit in kept] == ["https://full.example/", "https://short.example/"]


def test_ties_stay_in_the_order_read_and_the_limit_drops_the_rest() -> None:
    kept, drops = _dedupe([_hit(f"https://h{number}.example/") for number in range(5)], limit=2)
    assert [hit.url for hit in kept] == ["https://h0.example/", "https://h1.example/"]
    assert [(drop.reason, drop.subject) for drop in drops] == [
        ("over_limit", f"https://h{number}.example/") for number in (2, 3, 4)
    ]


def test_hits_that_no_engine_found_keep_their_order_and_any_scheme_passes() -> None:
    urls = ["https://b.example/", "doi:10.1000/1", "https://a.example/", "not an address"]
    kept, drops = _dedupe([Hit(url=url) for url in urls])
    assert [hit.url for hit in kept] == urls
    assert not drops
    assert not any(hit.found for hit in kept)


def test_an_image_is_told_apart_by_its_own_address_and_a_kind_by_itself() -> None:
    kept, _ = _dedupe(
        [
            _hit("https://a.example/", kind="image", image_url="https://a.example/1.png"),
            _hit("https://a.example/", kind="image", image_url="https://a.example/2.png"),
            _hit("https://a.example/"),
        ]
    )
    assert len(kept) == 3


def test_a_hit_is_finished_once_it_was_fused_or_if_no_engine_found_it() -> None:
    assert dedupe.finished is not None
    assert dedupe.finished(Hit(url="https://a.example/", score=0.0))
    assert dedupe.finished(Hit(url="https://a.example/")), "asked for by its address: nothing to fuse"
    assert not dedupe.finished(_hit("https://a.example/"))


_URLS = ["https://a.example/", "http://a.example", "https://b.example/?a=1&b=2", "https://b.example/?b=2&a=1", "x", "ftp://c/"]
_hits = st.builds(
    _hit,
    st.sampled_from(_URLS),
    rank=st.integers(1, 20),
    engine=st.sampled_from(["one", "two"]),
    family=st.sampled_from(["", "bing"]),
    query=st.sampled_from(["q", "k"]),
    weight=st.sampled_from([1.0, 0.7]),
)


@given(st.lists(_hits | st.builds(Hit, url=st.text(max_size=9)), max_size=25), st.integers(1, 5))
def test_every_hit_read_goes_on_or_has_one_drop(hits: list[Hit], limit: int) -> None:
    kept, drops = _dedupe(hits, limit)
    assert len(kept) + len(drops) == len(hits)
    assert len(kept) <= limit
    scores = [hit.score for hit in kept]
    assert scores == sorted(scores, reverse=True)  # type: ignore[type-var]
    assert {place for hit in kept for place in hit.found} <= {place for hit in hits for place in hit.found}


@given(st.lists(_hits, max_size=15, unique_by=lambda hit: hit.url))
def test_fusing_what_is_fused_changes_no_order(hits: list[Hit]) -> None:
    kept, _ = _dedupe(hits)
    again, drops = _dedupe(kept)
    assert [hit.url for hit in again] == [hit.url for hit in kept]
    assert not drops


def test_a_text_that_comes_again_under_another_day_is_one_and_two_of_a_series_are_not() -> None:
    told = "The harbour board has published its plans for the old tide mill beside the northern quay this week."
    days = [f"https://paper.example/2026/03/0{day}/tide-mill/" for day in (4, 6)]
    for titles, left in ((("Plans for the mill",) * 2, 1), (("Plans for the mill", "New plans for the mill"), 2)):
        hits = [_hit(url, title=title, snippet=told) for url, title in zip(days, titles, strict=True)]
        assert len(_dedupe(hits)[0]) == left
