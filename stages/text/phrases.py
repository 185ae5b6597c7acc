"""What pages that are no pages say of themselves, in many languages: regular expressions, apostrophes straight, case ignored.

Only the words on a short page, or the whole of a title's part or heading, ever count; a long page may say anything.
"""
# ruff: noqa: E501 - a line a language

from __future__ import annotations


def _any(*patterns: str) -> str:
    return "|".join(f"(?:{pattern})" for pattern in patterns)


CHALLENGE_WORDS = _any(
    r"(?:verify|verifying|confirm|prove|check)(?: that)? (?:if )?you(?:'re| are) (?:not )?(?:an? )?(?:human|robot|bot)\b",
    r"checking (?:if the site connection is secure|your browser)",
    r"(?:complete|solve) (?:the|this) captcha",
    r"complete the security check",
    r"(?:enable|turn on) (?:javascript|js) and cookies to continue",
    r"please enable js and disable any ad blocker",
    r"are you (?:a )?(?:human|robot)\?",
    r"making sure you're not a bot",
    r"(?:security|human|bot) verification",
    r"unusual (?:activity|traffic) (?:from|detected)",
    r"verifying your request",
    r"you will be connected to \S{1,80} in just a moment",
    r"^(?:just a moment|captcha|security check)\b",
    r"dass sie (?:ein mensch|kein roboter) sind",
    r"sicherheitsüberprüfung",
    r"que vous (?:êtes (?:un )?(?:être )?humain|n'êtes pas un robot)",
    r"que (?:eres (?:un )?humano|no eres un robot)",
    r"(?:di non essere un robot|che (?:sei (?:un )?umano|non sei un robot))",
    r"que você (?:é (?:um )?humano|não é um robô)",
    r"что вы (?:не робот|человек)",
    r"(?:ロボットでは(?:ない|ありません)|人間であることを確認)",
    r"(?:人机验证|安全验证|您是真人|您是否是真人|不是机器人|人機驗證)",
    r"로봇이 아닙니다|사람인지 확인",
    r"(?:dat u (?:een mens|geen robot) bent|że (?:jesteś człowiekiem|nie jesteś robotem)|robot olmadığınızı)",
)
"""Anywhere on a near-empty page with a good status."""

MOMENT_WORDS = _any(
    r"just a moment", r"nur einen moment", r"un instant", r"un momento", r"un attimo", r"um momento", r"een ogenblik", r"even geduld",
    r"один момент|минуточку", r"しばらくお待ちください", r"请稍候|請稍候", r"잠시만 기다리십시오", r"bir dakika", r"chwileczkę|jeszcze chwila",
)  # fmt: skip
"""The title of Cloudflare's challenge."""

NOT_FOUND_WORDS = _any(
    r"(?:http |error |status )*404(?: error)?(?: \(?(?:page )?not found\)?)?",
    r"(?:error )?(?:404\W{1,3})?(?:the |this |that |your )?(?:requested )?(?:page |file |article |document |resource |content )?not found(?:\W{1,3}404\W?)?",
    r"(?:sorry|oops|whoops|uh[ -]?oh|hmm+)?\W{0,3}(?:but )?(?:we (?:can't|cannot|couldn't|could not|can not) (?:seem to )?find (?:that|this|the|your) page)(?: you(?:'re|'ve| are| were)? .{0,40})?",
    r"(?:404\W{1,3})?(?:file or directory|the requested (?:url|page|resource)(?: \S{1,100})?) (?:was )?not found(?: on this server)?",
    r"(?:sorry|oops|whoops|uh[ -]?oh)?\W{0,3}(?:but )?(?:the |this |that )?(?:requested )?(?:page|file|article|document|content|link)(?: (?:that )?you(?:'re| are| were|'ve| have)? (?:looking for|requested|trying to (?:reach|view|access|find)))?,? (?:(?:was |is )?not|(?:could|can) ?(?:not|n't) be|can't be|couldn't be) found",
    r"(?:sorry|oops|whoops)?\W{0,3}(?:the |this |that )?page(?: you(?:'re| are| were) (?:looking for|requested))? (?:doesn't|does not|no longer) exists?(?: anymore)?",
    r"(?:sorry|oops|whoops)?\W{0,3}(?:the |this |that )?page(?: you(?:'re| are| were) (?:looking for|requested))? (?:is not|isn't|is no longer) available",
    r"page (?:missing|unavailable)",
    r"nothing (?:was )?found(?: here)?",
    r"(?:fehler 404|404[ -]fehler)",
    r"(?:ups|hoppla|huch)?\W{0,3}(?:die (?:angeforderte |gesuchte |gewünschte )?|diese )?seite (?:(?:wurde |konnte )?(?:leider )?nicht gefunden(?: werden)?|existiert (?:leider )?nicht(?: mehr)?|nicht verfügbar|ist nicht verfügbar)",
    r"(?:erreur 404|404 erreur)",
    r"(?:oups|désolé)?\W{0,3}(?:(?:cette|la) )?page(?: (?:demandée|que vous (?:cherchez|recherchez|demandez)))? (?:(?:est |n'a pas été |n'est pas |non )?(?:introuvable|trouvée)|n'existe (?:pas|plus))",
    r"(?:error 404|404 error)",
    r"(?:ups|oops|lo sentimos)?\W{0,3}(?:la |esta )?página (?:solicitada |que buscas )?(?:no (?:encontrada|existe|disponible|se encuentra|ha sido encontrada|fue encontrada)|no se (?:ha )?encontr(?:ó|ado))",
    r"no se (?:ha )?encontr(?:ó|ado) la página",
    r"(?:errore 404|404 errore)",
    r"(?:ops|oops|spiacenti)?\W{0,3}(?:la |questa )?pagina (?:richiesta |che cerchi )?(?:non (?:è stata )?trovata|non (?:esiste|disponibile|è disponibile)(?: più)?|inesistente)",
    r"(?:erro 404|404 erro)",
    r"(?:ops|oops|desculpe)?\W{0,3}(?:a |esta )?página (?:solicitada |que procura )?(?:não (?:foi )?encontrada|não existe|inexistente|indisponível)",
    r"(?:foutmelding 404|de )?pagina (?:is )?niet gevonden|deze pagina bestaat niet(?: meer)?",
    r"sidan (?:hittades inte|kunde inte hittas|finns inte)",
    r"siden (?:blev ikke fundet|ble ikke funnet|findes ikke|finnes ikke)",
    r"sivua ei löytynyt",
    r"(?:błąd 404|nie znaleziono strony|strona nie (?:została znaleziona|istnieje))",
    r"stránka (?:nebyla )?nenalezena|stránka nebyla nalezena",
    r"(?:ошибка 404|(?:такая |запрашиваемая |запрошенная )?страница (?:не найдена|не существует)|такой страницы (?:нет|не существует))",
    r"сторінку не знайдено",
    r"sayfa bulunamad\u0131",
    r"(?:お探しの|指定された|ご指定の)?(?:ページ|url)(?:が|は)(?:見つかりません(?:でした)?|存在しません|見つかりませんでした)|404エラー",
    r"(?:抱歉|很抱歉|对不起|您)?\W{0,2}(?:您?(?:访问|请求|要找|查找)的?)?(?:页面|网页|頁面)(?:不存在|未找到|找不到了?|没有找到|已删除|不存在或已(?:被)?删除)|(?:找不到|未找到)(?:该|您要的|此)?(?:网页|页面|頁面)|404错误",
    r"(?:요청하신 )?페이지를 찾을 수 (?:없습니다|없음)|존재하지 않는 페이지(?:입니다)?",
    r"الصفحة غير موجودة",
    r"पृष्ठ नहीं मिला",
    r"không tìm thấy trang",
)  # fmt: skip
"""The whole of a title's part or of a heading."""

LOGIN_WORDS = _any(
    r"(?:please )?(?:log|sign)[ -]?in(?: (?:to|with|required|page|now|here|below|or)\b.*)?",
    r"(?:member |user |account |customer )?log[ -]?in(?: (?:required|form))?",
    r"(?:bitte )?(?:anmelden|einloggen)(?: .{0,40})?|anmeldung(?: erforderlich)?|bitte (?:melden|loggen) sie sich .{0,60}",
    r"(?:se )?connecter(?: .{0,40})?|connexion(?: .{0,40})?|connectez-vous.{0,60}|identifiez-vous.{0,60}|identification",
    r"inici(?:ar|a|e) (?:de )?sesi[óo]n.{0,60}|acceso(?: de usuarios)?|acceder|ingresar",
    r"accedi.{0,60}|effettua (?:l'accesso|il login).{0,60}|area riservata",
    r"entrar|iniciar sessão.{0,60}|faça (?:o )?login.{0,60}|acesse sua conta|acessar conta",
    r"войти.{0,60}|вход(?: .{0,40})?|авторизация|авторизуйтесь.{0,60}",
    r"ログイン.{0,30}|サインイン.{0,30}|会員ログイン",
    r"(?:请(?:先)?|用户|会员|账号)?(?:登录|登入|登陆).{0,20}",
    r"로그인.{0,20}",
    r"inloggen|aanmelden|zaloguj się.{0,60}|logowanie|giriş yap.{0,40}|logga in|log ind|logg inn|přihlášení|kirjaudu sisään",
)
"""The whole of a title's part or of a heading, on a short page with a form."""

LOGIN_DEMANDS = _any(
    r"(?:you (?:must|need to|have to|should) be (?:logged|signed) in|please (?:log|sign) in|(?:log|sign) in (?:is )?required|(?:log|sign) in to (?:continue|view|read|access|see)\b)",
    r"login required|members[ -]only",
    r"sie müssen (?:angemeldet|eingeloggt) sein|bitte (?:melden|loggen) sie sich|anmeldung erforderlich",
    r"vous devez (?:être connecté|vous connecter)|connectez-vous pour|veuillez vous (?:connecter|identifier)",
    r"(?:debes|debe|tienes que) iniciar sesi[óo]n|inicia sesi[óo]n para",
    r"(?:devi|è necessario) (?:accedere|effettuare (?:l'accesso|il login))|accedi per",
    r"(?:você precisa|é necessário|é preciso) (?:fazer login|estar (?:logado|conectado)|iniciar sessão)|faça login para",
    r"(?:необходимо|нужно|требуется) (?:войти|авторизоваться|авторизация)|войдите,? чтобы",
    r"ログイン(?:が必要|してください)",
    r"请(?:先)?登录|需要登录|登录后(?:查看|可见)",
    r"로그인이 필요|로그인(?:해| 후)",
)
"""On a page of hardly any text, also without a form."""

CONSENT_WORDS = _any(
    r"before you continue(?: to .*)?",
    r"(?:your |we (?:value|respect|care about) your |about your )privacy(?: choices| matters| settings)?",
    r"(?:cookie|privacy) (?:consent|settings|preferences|notice)|we use cookies(?: .{0,60})?|(?:accept|manage) cookies",
    r"bevor (?:sie fortfahren|es weitergeht|sie zu .{0,40}).*|(?:ihre|deine) privatsphäre.{0,60}|wir (?:respektieren|schützen) ihre privatsphäre|cookie-einstellungen|datenschutz-?einstellungen",
    r"avant (?:de continuer|d'accéder).*|(?:votre|respect de votre) vie privée.{0,60}|nous respectons votre vie privée|gestion des cookies",
    r"antes de continuar.*|(?:tu|su) privacidad.{0,60}|valoramos tu privacidad|configuración de cookies",
    r"prima di continuare.*|(?:la tua|la vostra) privacy.{0,60}|rispettiamo la tua privacy|impostazioni dei cookie",
    r"(?:a sua|sua) privacidade.{0,60}|valorizamos (?:a )?sua privacidade|definições de cookies",
    r"прежде чем продолжить.*|мы используем (?:файлы )?cookie.{0,60}",
    r"(?:続行する前に|cookie(?:の)?(?:設定|使用|同意)|プライバシー(?:設定|に関する)).{0,40}",
    r"(?:继续之前|(?:您的)?隐私(?:设置|选择)|cookie ?(?:设置|同意)).{0,40}",
    r"voordat je verdergaat.*|jouw privacy.{0,40}|zanim przejdziesz.*|twoja prywatność.{0,40}",
)
"""The whole of a title's part or of a heading, on a near-empty page with buttons."""

PAYWALL_WORDS = _any(
    r"subscribe (?:now )?to (?:continue|read|keep reading|unlock|access)|(?:this|the full) (?:article|story|content) is (?:reserved |only )?(?:for|available to) (?:our )?subscribers|already a subscriber\?|to continue reading,? (?:please )?(?:subscribe|log in|register)",
    r"(?:weiterlesen mit|jetzt abonnieren|nur für abonnenten|dieser artikel ist (?:exklusiv )?für abonnenten)",
    r"(?:article |contenu )?réservé aux abonnés|abonnez-vous pour (?:lire|continuer)|la suite est réservée",
    r"(?:contenido )?(?:exclusivo )?para suscriptores|suscríbete para (?:seguir|leer|continuar)",
    r"(?:contenuto |articolo )?riservato agli abbonati|abbonati per (?:continuare|leggere)",
    r"(?:conteúdo )?exclusivo para assinantes|assine para (?:continuar|ler)",
    r"только для подписчиков|оформите подписку,? чтобы",
    r"この記事は(?:有料)?会員限定|有料会員限定|続きを読むには",
    r"(?:订阅|开通会员)后?(?:可)?(?:继续)?阅读|付费内容|会员专享",
)
"""Anywhere in the text: the page stays a page, of which a part is to be had."""

__all__ = [
    "CHALLENGE_WORDS", "CONSENT_WORDS", "LOGIN_DEMANDS", "LOGIN_WORDS", "MOMENT_WORDS", "NOT_FOUND_WORDS", "PAYWALL_WORDS",
]  # fmt: skip
