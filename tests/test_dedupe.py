"""Fusing rankings and telling pages apart."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from stages.dedupe import Options, dedupe
from stages.records import Drop, Found, Hit


def _hit(
    url: str, *, rank: int = 1, engine: str = "one", family: str = "", query: str = "q", weight: float = 1.0, **fields: object
) -> Hit:
    place = Found(engine=engine, family=family or engine, query=query, rank=rank, weight=weight)
    return Hit(**{"url": url, "found": (place,), **fields})  # type: ignore[arg-type]


def _dedupe(hits: list[Hit], limit: int = 100) -> tuple[list[Hit], list[Drop]]:
    records = dedupe.call(hits, Options(limit=limit))
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
    assert [hit.score for hit in kept] == [0.666667, 0.5, 0.416667]
    assert kept[0].parts == {"rrf": 0.666667}


def test_the_families_behind_a_metasearch_engine_are_its_witnesses() -> None:
    place = Found(engine="searxng", family="searxng", query="q", rank=5, families=("bing", "google"), ranks=(1, 3, 9))
    kept, _ = _dedupe(
        [Hit(url="https://a.example/", found=(place,)), _hit("https://a.example/", engine="duckduckgo", family="bing", rank=2)]
    )
    assert kept[0].score == round(1 / 2 * 1.25 + 1 / 4, 6)


def test_a_page_that_an_engine_shows_twice_counts_once() -> None:
    kept, _ = _dedupe([_hit("https://a.example/", rank=4), _hit("https://a.example/#x", rank=1)])
    assert kept[0].score == 0.5
    assert [place.rank for place in kept[0].found] == [1]


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
