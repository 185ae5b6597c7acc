"""Page status row by row: every wall that is known, good pages behind the same vendors, what pages say in nine languages."""
# ruff: noqa: E501 - a row a line

from __future__ import annotations

import pytest

from stages.net.classify import Verdict, classify

PROSE = "<p>" + "The ferry leaves the northern pier at dawn and returns with the evening tide. " * 20 + "</p>"
SHORT = "<p>The ferry leaves at nine and returns at five, every day but Monday.</p>"
FORM = '<form method="post"><input name="u"><input type="password" name="p"><button>OK</button></form>'


def page(title: str, body: str, head: str = "") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def verdict(body: str, status: int = 200, url: str = "https://example.com/a", asked: str = "", **headers: str) -> Verdict:
    named = tuple((name.replace("_", "-"), value) for name, value in headers.items())
    return classify(status, (("content-type", "text/html; charset=utf-8"), *named), body.encode(), url, asked)


WALLS = [
    ("cloudflare", "challenge", 403, page("x", ""), {"cf_mitigated": "challenge"}),
    ("cloudflare", "challenge", 503, page("Just a moment...", "<script>window._cf_chl_opt={}</script>"), {}),
    ("cloudflare", "challenge", 200, page("x", "<script src='/cdn-cgi/challenge-platform/h/b/orchestrate/chl_page/v1'></script>"), {}),
    ("cloudflare", "challenge", 503, page("x", "<form class='cf-browser-verification'></form>"), {}),
    ("cloudflare", "challenge", 403, page("Un instant…", "<p>Veuillez patienter</p>"), {}),
    ("cloudflare", "challenge", 200, page("请稍候…", ""), {"cf_ray": "1"}),
    ("cloudflare", "blocked", 403, page("Attention Required! | Cloudflare", "<h1 data-translate='block_headline'>Sorry</h1>"), {}),
    ("cloudflare", "blocked", 403, page("x", "<h1>Sorry, you have been blocked</h1><p>You are unable to access example.com</p>"), {}),
    ("cloudflare", "blocked", 403, page("Access denied", "<h1>Error 1020</h1>"), {}),
    ("cloudflare", "blocked", 403, page("Access denied", "<h1>Error 1006</h1>"), {}),
    ("cloudflare", "rate_limited", 429, page("Access denied", "<h1>Error 1015</h1><p>You are being rate limited</p>"), {}),
    ("", "server_error", 522, page("Connection timed out", "<h1>Error 522</h1>"), {"server": "cloudflare"}),
    ("akamai", "blocked", 403, page("Access Denied", "<h1>Access Denied</h1>Reference #18.2e5f"), {}),
    ("akamai", "blocked", 403, page("x", "<p>no</p>"), {"server": "AkamaiGHost"}),
    ("akamai", "challenge", 200, page("x", "<div id='sec-if-cpt-container'></div>"), {}),
    ("akamai", "challenge", 200, page("x", "<p>Powered and protected by Akamai</p>"), {}),
    ("datadome", "challenge", 403, page("x", ""), {"x_dd_b": "2"}),
    ("datadome", "challenge", 403, page("x", "<script>var dd={'host':'geo.captcha-delivery.com'}</script>"), {}),
    ("datadome", "blocked", 403, page("x", "<script>var dd={'rt':'c','t':'bv','host':'geo.captcha-delivery.com'}</script>"), {}),
    ("human", "challenge", 200, page("Robot or human?", "<div id='px-captcha'></div>"), {}),
    ("human", "challenge", 403, page("Access to this page has been denied", "<p>Press &amp; Hold to confirm</p>"), {}),
    ("human", "challenge", 403, page("x", "<script src='https://captcha.px-cdn.net/x.js'></script>"), {}),
    ("imperva", "challenge", 200, page("Pardon Our Interruption", "<script>onProtectionInitialized()</script>"), {}),
    ("imperva", "blocked", 200, page("x", "<iframe>Request unsuccessful. Incapsula incident ID: 1-2</iframe>"), {}),
    ("imperva", "challenge", 200, page("", "<script src='/_Incapsula_Resource?SWJIYLWA=1'></script>"), {}),
    ("aws-waf", "challenge", 202, page("", ""), {"x_amzn_waf_action": "challenge"}),
    ("aws-waf", "challenge", 405, page("Human Verification", ""), {"x_amzn_waf_action": "captcha"}),
    ("aws-waf", "challenge", 200, page("", "<script src='https://a.eu.token.awswaf.com/b/challenge.js'></script>"), {}),
    ("aws-waf", "challenge", 200, page("", "<script>window.awsWafCookieDomainList=[]</script>"), {}),
    ("cloudfront", "blocked", 403, page("ERROR", "<h1>403 ERROR</h1><h2>The request could not be satisfied.</h2>"), {}),
    ("sucuri", "blocked", 403, page("x", ""), {"x_sucuri_block": "1"}),
    ("sucuri", "blocked", 403, page("Sucuri WebSite Firewall - Access Denied", "<p>Blocked</p>"), {}),
    ("sucuri", "challenge", 200, page("You are being redirected...", "<script>var sucuri_cloudproxy_js=''</script>"), {}),
    ("anubis", "challenge", 200, page("x", f"<script id='anubis_challenge'>{{}}</script>{SHORT * 12}"), {}),
    ("anubis", "challenge", 200, page("x", "<script src='/.within.website/x/cmd/anubis/static/js/main.mjs'></script>"), {}),
    ("anubis", "challenge", 307, "", {"location": "/.within.website/?redir=%2F"}),
    ("ddos-guard", "challenge", 403, page("DDoS-Guard", "<script src='/.well-known/ddos-guard/check'></script>"), {}),
    ("kasada", "challenge", 429, page("", "<script src='/149e9513-01fa-4fb0-aad4-566afd725d1b/x/ips.js'></script>"), {"x_kpsdk_ct": "1"}),
    ("f5", "blocked", 200, page("Request Rejected", "The requested URL was rejected. Please consult with your administrator. Your support ID is: 1"), {}),
    ("f5", "challenge", 200, page("", "<script>window[\"bobcmn\"]='1'</script>"), {}),
    ("f5", "challenge", 200, page("", '<script src="/TSPD/08"></script>'), {}),
    ("vercel", "challenge", 429, page("x", ""), {"x_vercel_mitigated": "challenge"}),
    ("vercel", "challenge", 403, page("Vercel Security Checkpoint", "<p>We're verifying your browser</p>"), {}),
    ("google", "rate_limited", 429, page("Sorry...", "<p>Our systems have detected unusual traffic from your computer network.</p>"), {}),
    ("linkedin", "blocked", 999, page("", "<script>x</script>"), {}),
    ("reddit", "blocked", 403, page("Blocked", "<p>You've been blocked by network security.</p>"), {}),
    ("queue-it", "challenge", 302, "", {"location": "https://shop.queue-it.net/?c=shop"}),
    ("queue-it", "challenge", 200, page("Queue", "<h1>You are now in line</h1>"), {}),
    ("duckduckgo", "challenge", 200, page("DuckDuckGo", "<div class='anomaly-modal'>Are you a person?</div>"), {}),
]  # fmt: skip


@pytest.mark.parametrize(("vendor", "outcome", "status", "body", "headers"), WALLS)
def test_a_wall_is_called_what_it_is(vendor: str, outcome: str, status: int, body: str, headers: dict[str, str]) -> None:
    found = verdict(body, status, **headers)
    assert (found.outcome, found.vendor) == (outcome, vendor)


GOOD = [
    (PROSE, {"server": "cloudflare", "cf_ray": "8f-FRA", "set_cookie": "__cf_bm=x; cf_clearance=y"}),
    (f"<script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>{SHORT * 4}", {"cf_ray": "8f"}),
    (f"{SHORT * 4}<form><input name=q><div class='cf-turnstile'></div></form>", {}),
    (f"<script src='/akam/13/5b'></script>{SHORT * 4}", {"set_cookie": "_abck=x; bm_sz=y", "server": "AkamaiGHost"}),
    (f"<script src='https://js.datadome.co/tags.js'></script>{SHORT * 4}", {"x_datadome": "protected", "set_cookie": "datadome=x"}),
    (f"<script>window._pxAppId='PX1'</script>{SHORT * 4}", {"set_cookie": "_px3=1; _pxhd=2"}),
    (f"<script src='/_Incapsula_Resource?SWJIYLWA=1'></script>{SHORT * 4}", {"x_iinfo": "1", "x_cdn": "Imperva", "set_cookie": "visid_incap_1=x"}),
    (SHORT * 4, {"set_cookie": "aws-waf-token=1", "x_amzn_requestid": "2"}),
    (SHORT * 4, {"x_cache": "Hit from cloudfront", "x_sucuri_id": "12"}),
    (SHORT * 4, {"server": "ddos-guard", "set_cookie": "__ddg1_=x"}),
    (SHORT * 4, {"x_kpsdk_ct": "1"}),
    (SHORT * 4, {"server": "Vercel", "set_cookie": "TS01abc=1"}),
    (f"<pre>var dd={{'t':'bv','host':'geo.captcha-delivery.com'}}</pre>{PROSE}", {}),
    (f"<a href='https://code.example/.within.website/x/cmd/anubis/README'>source</a>{PROSE * 2}", {}),
    (f"<h1>Un momento de calma</h1>{SHORT}", {"cf_ray": "8f"}),
    (f"<div id='cookie-banner'><h2>We use cookies</h2><button>Accept</button></div>{PROSE}", {}),
    (f"<h1>Opening hours</h1>{SHORT * 4}<form style='display: none'><input type=password></form>", {}),
    (f"<h1>Opening hours</h1>{SHORT * 4}{FORM}", {}),
    (f"<h1>How to log in to the archive</h1>{PROSE}{FORM}", {}),
    (f"<h1>The page that could not be found</h1>{PROSE}", {}),
    (f"<h1>404</h1><p>A year in the life of the abbey.</p>{PROSE}", {}),
]  # fmt: skip


@pytest.mark.parametrize(("body", "headers"), GOOD)
def test_a_good_page_behind_the_same_vendor_is_a_page(body: str, headers: dict[str, str]) -> None:
    assert verdict(page("River levels", body), **headers).outcome == "ok"


NOT_FOUND = (
    "Page not found", "404", "404 Not Found", "Error 404", "Oops! That page can't be found.", "Sorry, this page isn't available",
    "We can't find that page", "This page could not be found", "The page you were looking for doesn't exist", "Seite nicht gefunden",
    "Diese Seite existiert nicht mehr", "Fehler 404", "Page introuvable", "Cette page n'existe plus", "Erreur 404", "Página no encontrada",
    "No se encontró la página", "Pagina non trovata", "La pagina richiesta non esiste", "Página não encontrada", "Страница не найдена",
    "Такой страницы нет", "ページが見つかりません", "お探しのページは見つかりませんでした", "页面不存在", "抱歉，您访问的页面不存在", "페이지를 찾을 수 없습니다",
)  # fmt: skip


@pytest.mark.parametrize("words", NOT_FOUND)
def test_a_page_that_says_that_it_is_missing_is_not_found(words: str) -> None:
    for body in (page(f"{words} | Example", SHORT), page("Example", f"<nav>Home</nav><h1>{words}</h1>{SHORT}")):
        assert verdict(body) == Verdict("not_found", hint="soft_404")


@pytest.mark.parametrize(
    ("asked", "url", "expected"),
    [
        ("https://example.com/news/2024/lamp", "https://www.example.com/", "not_found"),
        ("https://example.com/news/2024/lamp", "https://example.com/404.html", "not_found"),
        ("https://example.com/news/2024/lamp", "https://example.com/error", "not_found"),
        ("https://short.example/a/b", "https://example.com/", "ok"),
        ("https://example.com/index.html", "https://example.com/", "ok"),
        ("https://example.com/lamp", "https://example.com/", "ok"),
        ("https://example.com/news/lamp", "https://example.com/news/2024/lamp", "ok"),
    ],
)
def test_a_deep_address_that_leads_home_or_to_an_error_is_not_found(asked: str, url: str, expected: str) -> None:
    assert verdict(page("River levels", PROSE), url=url, asked=asked).outcome == expected


LOGIN = (
    "Log in", "Sign in to Example", "Please log in", "Bitte melden Sie sich an", "Anmelden", "Connexion", "Connectez-vous à votre compte",
    "Iniciar sesión", "Accedi al tuo account", "Faça login", "Войти в аккаунт", "Вход", "ログイン", "请登录", "로그인", "Inloggen",
)  # fmt: skip


@pytest.mark.parametrize("words", LOGIN)
def test_a_login_form_in_place_of_the_page_is_a_login(words: str) -> None:
    assert (
        verdict(page(f"{words} | Example", f"<h1>{words}</h1><p>Example, a place for river people.</p>{FORM}")).outcome == "login"
    )
    assert (
        verdict(
            page("Example", f"<h2>{words}</h2><form><label>E-mail, then a link comes <input></label><button>OK</button></form>")
        ).outcome
        == "login"
    )


@pytest.mark.parametrize(
    ("body", "url", "asked"),
    [
        (page("Example", f"<p>Username and password, please.</p>{FORM}"), "https://example.com/a", ""),
        (page("Example", f"{SHORT * 10}{FORM}"), "https://example.com/login?next=a", "https://example.com/a"),
        (page("Example", f"{SHORT * 3}<form><input></form>"), "https://accounts.example.com/start", "https://example.com/a"),
        (page("Members", "<h1>The archive</h1><p>You must be logged in to view this page.</p>"), "https://example.com/a", ""),
    ],
)
def test_other_ways_to_ask_for_a_login(body: str, url: str, asked: str) -> None:
    assert verdict(body, url=url, asked=asked).outcome == "login"


CONSENT = (
    "Before you continue", "We value your privacy", "Bevor Sie fortfahren", "Ihre Privatsphäre ist uns wichtig", "Avant de continuer",
    "Respect de votre vie privée", "Antes de continuar", "Tu privacidad es importante", "Prima di continuare", "A sua privacidade",
    "Прежде чем продолжить", "続行する前に", "继续之前",
)  # fmt: skip


@pytest.mark.parametrize("words", CONSENT)
def test_a_consent_dialog_in_place_of_the_page_is_consent(words: str) -> None:
    body = page("Example", f"<h1>{words}</h1><p>Our 812 partners store cookies.</p><form action=/c><button>OK</button></form>")
    assert verdict(body).outcome == "consent"
    assert verdict(body.replace("</body>", f"<article>{PROSE}</article></body>")).outcome == "ok"


@pytest.mark.parametrize(
    "words",
    [
        "Subscribe to continue reading.", "Already a subscriber? Log in.", "Jetzt abonnieren", "Article réservé aux abonnés",
        "Contenido exclusivo para suscriptores", "Contenuto riservato agli abbonati", "Assine para continuar lendo", "Только для подписчиков",
        "この記事は有料会員限定です", "订阅后继续阅读",
    ],
)  # fmt: skip
def test_a_paywall_leaves_a_page_of_which_a_part_is_to_be_had(words: str) -> None:
    assert verdict(page("Dam report", f"<h1>Dam report</h1>{SHORT * 6}<p>{words}</p>")) == Verdict("ok", hint="partial")


@pytest.mark.parametrize(
    ("asked", "url"),
    [("http://id.example.com/a", "https://id.example.com/a"), ("http://example.com/docs/sso", "https://example.com/docs/sso")],
)
def test_a_page_about_logins_that_was_asked_for_is_a_page(asked: str, url: str) -> None:
    assert (
        verdict(
            page("Single sign-on", f"<h1>Single sign-on</h1>{SHORT * 4}<form><input name=q></form>"), url=url, asked=asked
        ).outcome
        == "ok"
    )


def test_the_shell_of_a_forum_with_an_unseen_login_form_needs_a_browser() -> None:
    body = page("What's your range?", "<discourse-assets></discourse-assets><p>Forum calc donate now</p>"
                "<div id='data-discourse-setup'></div><form id='hidden-login-form' style='display: none;'><input type=password></form>")  # fmt: skip
    assert verdict(body).outcome == "needs_browser"


@pytest.mark.parametrize(
    ("line", "expected"), [("404: Not Found", "not_found"), ("Not found", "not_found"), ("def find():\n    pass", "ok")]
)
def test_a_text_of_one_line_may_say_that_it_is_missing(line: str, expected: str) -> None:
    assert classify(200, (("content-type", "text/plain"),), line.encode()).outcome == expected
