"""Wording that gives orders to whoever reads for somebody: a hint to be reported, never a reason to change or hide a text.

An article about such wording quotes it, so what is counted is no verdict. Each pattern wants an order and whom or what it is
about, close by in one sentence: manuals that tell a person to ignore a warning are not meant.
"""

# ruff: noqa: E501 - one pattern a line

from __future__ import annotations

import re

from msgspec import Struct

_GAP = r"[^.!?\n]{0,40}?"
_READER = (
    r"(?:(?:ai|llms?|artificial intelligence)(?:[ -](?:assistants?|agents?|models?|systems?|crawlers?|tools?|bots?))?|"
    r"(?:large )?language models?|chat ?bots?|chatgpt|gpt-?\d\w*|claude|gemini|copilot)"
)
_TEXTS = r"(?:instructions?|prompts?|directions?|directives?|guidelines?|guardrails|system messages?|safety rules)"
_EARLIER = (
    r"(?:previous|prior|above|earlier|preceding|foregoing|original|existing|initial|all|any|these|those|your|the|system|other)"
)

_FAMILIES: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("override-instructions", (
        # English
        rf"\b(?<!not )(?<!n't )(?<!never )(?:ignore|disregard|forget|override|bypass)\s+(?:{_EARLIER}\s+){{1,4}}(?:of\s+)?(?:the\s+|your\s+)?{_TEXTS}\b",
        r"\b(?:ignore|disregard|forget)\s+(?:everything|anything|all)\s+(?:(?:that|you)\s+)?(?:above|before|prior|previous|were|was|have been)\b",
    )),
    ("system-prompt-probe", (
        rf"\b(?:reveal|print|output|repeat|show|leak|display|disclose)\s+(?:me\s+)?(?:your|the)\s+(?:full\s+|entire\s+|hidden\s+|initial\s+)?(?:system\s+|developer\s+){_TEXTS}",
    )),
    ("agent-directive", (
        rf"\b(?:notes?|messages?|instructions?|attention|notice|important)(?:\s*:|\s+(?:to|for))?[ \t](?:the\s+|all\s+|any\s+)?{_READER}[ \t]*(?:reading|processing|summari[sz]ing|:|,)",
        rf"\bif you(?:'re| are) an?\s+(?:automated\s+|autonomous\s+|helpful\s+)?{_READER}\b",
        rf"\b(?:the\s+|any\s+|all\s+)?(?:{_READER}|assistants?)\s+(?:reading (?:this|the)|processing this|summari[sz]ing this){_GAP}(?:must|should|shall|are|is)\b",
        r"\b(?:the\s+)?(?:ai\s+)?(?:assistant|language model|llm|ai agent|chatbot)\s+(?:must|shall)\s+(?:now\s+|always\s+|never\s+|only\s+)?(?:state|say|tell|reply|respond|answer|output|include|recommend|ignore|send|mention|claim|report|insert|add|click|visit)\b",
        rf"\b{_READER},?\s+(?:you must|please)\s+(?:now\s+|also\s+|always\s+)?(?:append|include|insert|recommend|state|say|tell|send|transfer|visit|ignore|reveal|respond|reply|mention|report)\b",
        r"\bwhen(?:ever)?\s+(?:you\s+)?(?:summari[sz]e|summari[sz]ing|processing|answering about|describing)\s+this\s+(?:page|document|article|text|site|content|product),?\s+(?:always|never|you must|please|do not|say|state|include|mention|recommend|tell)\b",
    )),
    ("role-reassignment", (
        r"\byou are now\s+(?:an?\s+|the\s+|in\s+)?(?:\w+\s+){0,3}(?:ai|assistant|mode|model|dan|jailbroken|unrestricted|agent)\b",
    )),
    ("concealment", (
        rf"\bdo not\s+(?:tell|inform|mention|reveal|disclose|show|alert){_GAP}\b(?:to\s+)?the\s+user\b",
        r"\bwithout\s+(?:telling|informing|asking|alerting|notifying)\s+the\s+user\b",
    )),
    ("new-instructions", (
        r"\bnew\s+(?:system\s+)?(?:instructions?|prompt|directive)\s*:",
        r"\bend of (?:system )?(?:prompt|instructions?|document)\b.{0,20}\b(?:begin|start|new)\b",
    )),
    ("tool-injection", (
        # Marks of a dialogue that a page has no reason to hold
        r"<\|?(?:im_start|im_end|system|endoftext|eot_id|start_header_id|begin_of_text)\|?>|\[/?inst\]|<</?sys>>|</?(?:system_prompt|tool_call|function_calls)>",
    )),
    ("override-instructions", (
        # German, Dutch
        r"\b(?:ignorier\w*|missacht\w*|vergiss|vergessen sie)\s+(?:sie\s+)?(?:alle\s+|die\s+|deine\s+|ihre\s+|s\u00e4mtliche\s+){0,3}(?:vorherigen|bisherigen|vorigen|obigen|fr\u00fcheren|vorangegangenen)\s+\w*(?:anweisung|instruktion|befehl|vorgabe|regel)\w*",
        r"\b(?:negeer|vergeet)\s+(?:alle\s+|de\s+|je\s+){0,3}(?:eerdere|vorige|voorgaande|bovenstaande)\s+(?:instructies|opdrachten|aanwijzingen|regels)",
        # French, Spanish, Portuguese, Italian, Romanian
        r"\b(?:ignore[zr]?|oublie[zr]?|n[e']?\s*ten(?:ez|ir) pas compte des?)\s+(?:de\s+)?(?:toutes\s+)?(?:les\s+|vos\s+|tes\s+)?(?:instructions|consignes|directives|r\u00e8gles)\s+(?:pr\u00e9c\u00e9dentes|ant\u00e9rieures|ci-dessus)",
        r"\b(?:ignor[ae]n?|olvid[ae]n?|haz caso omiso de)\s+(?:todas\s+)?(?:las\s+|tus\s+|sus\s+)?(?:instrucciones|indicaciones|\u00f3rdenes|reglas)\s+(?:anteriores|previas|de arriba)",
        r"\b(?:ignor[ea]m?|esque\u00e7[ae]m?|desconsidere)\s+(?:todas\s+)?(?:as\s+|suas\s+)?(?:instru\u00e7\u00f5es|ordens|regras)\s+(?:anteriores|pr\u00e9vias|acima)",
        r"\b(?:ignora(?:te)?|dimentica(?:te)?)\s+(?:tutte\s+)?(?:le\s+|tue\s+)?(?:istruzioni|indicazioni|regole)\s+(?:precedenti|sopra)",
        r"\bignor\u0103(?:\u021bi)?\s+(?:toate\s+)?instruc\u021biunile\s+(?:anterioare|precedente)",
        # Polish, Russian, Ukrainian, Turkish
        r"\b(?:zignoruj|ignoruj|zapomnij)\w*\s+(?:wszystkie\s+|o\s+)?(?:poprzednie|wcze\u015bniejsze|powy\u017csze)\s+(?:instrukcje|polecenia|wytyczne)",
        r"\b(?:\u0438\u0433\u043d\u043e\u0440\u0438\u0440\u0443\u0439|\u0437\u0430\u0431\u0443\u0434\u044c|\u0456\u0433\u043d\u043e\u0440\u0443\u0439)\w*\s+(?:\u0432\u0441\u0435\s+|\u0443\u0441\u0456\s+)?(?:\u043f\u0440\u0435\u0434\u044b\u0434\u0443\u0449\u0438\u0435|\u043f\u0440\u043e\u0448\u043b\u044b\u0435|\u043f\u043e\u043f\u0435\u0440\u0435\u0434\u043d\u0456)\s+\w*(?:\u0438\u043d\u0441\u0442\u0440\u0443\u043a\u0446|\u0443\u043a\u0430\u0437\u0430\u043d|\u0456\u043d\u0441\u0442\u0440\u0443\u043a\u0446|\u043a\u043e\u043c\u0430\u043d\u0434)\w*",
        r"\b(?:\u00f6nceki|yukar\u0131daki)\s+(?:t\u00fcm\s+)?(?:talimatlar\u0131?|komutlar\u0131?)\w*\s+(?:(?:t\u00fcm\u00fcn\u00fc\s+)?(?:yok say|unut|dikkate alma|g\u00f6rmezden gel))",
        # Chinese, Japanese, Korean
        "(?:\u5ffd\u7565|\u65e0\u89c6|\u5ffd\u8996|\u7121\u8996|\u5fd8\u8bb0|\u5fd8\u8a18)(?:\u6389)?(?:\u4ee5\u4e0a|\u4e4b\u524d|\u5148\u524d|\u4e0a\u8ff0|\u524d\u9762|\u6240\u6709)(?:\u7684)?(?:\u6240\u6709)?(?:\u7684)?(?:\u6307\u4ee4|\u6307\u793a|\u63d0\u793a|\u547d\u4ee4|\u898f\u5247|\u89c4\u5219)",
        "(?:\u4ee5\u524d|\u4e0a\u8a18|\u3053\u308c\u307e\u3067|\u524d)\u306e(?:\u3059\u3079\u3066\u306e)?(?:\u6307\u793a|\u547d\u4ee4|\u30d7\u30ed\u30f3\u30d7\u30c8)(?:\u3092|\u306f)(?:\u3059\u3079\u3066)?(?:\u7121\u8996|\u5fd8\u308c)",
        "(?:\uc774\uc804|\uc704)\uc758?\\s*(?:\ubaa8\ub4e0\\s*)?(?:\uc9c0\uc2dc|\uba85\ub839|\ud504\ub86c\ud504\ud2b8)\\S{0,3}\\s*(?:\ubaa8\ub450\\s*)?(?:\ubb34\uc2dc|\uc78a)",
        # Arabic, Hindi
        "(?:\u062a\u062c\u0627\u0647\u0644|\u0627\u0646\u0633)\\s+(?:\u062c\u0645\u064a\u0639\\s+|\u0643\u0644\\s+)?(?:\u0627\u0644\u062a\u0639\u0644\u064a\u0645\u0627\u062a|\u0627\u0644\u0623\u0648\u0627\u0645\u0631)\\s+(?:\u0627\u0644\u0633\u0627\u0628\u0642\u0629|\u0623\u0639\u0644\u0627\u0647)",
        "(?:\u092a\u093f\u091b\u0932\u0947|\u092a\u0942\u0930\u094d\u0935)\\s+(?:\u0938\u092d\u0940\\s+)?\u0928\u093f\u0930\u094d\u0926\u0947\u0936\u094b\u0902\\s+(?:\u0915\u094b|\u0915\u0940)\\s+(?:\u0905\u0928\u0926\u0947\u0916\u093e|\u0928\u091c\u093c\u0930\u0905\u0902\u0926\u093e\u091c\u093c)",
    )),
)  # fmt: skip
"""What kind of order, and how it is worded. No pattern has a group of its own: each family is one."""
_ORDER = re.compile("|".join(f"({'|'.join(patterns)})" for _, patterns in _FAMILIES))
_ANCHORS = (
    "ignor", "disregard", "summaris", "summariz", "processing this", "answering about", "describing this", "forget", "overrid", "bypass", "messages", " ai ", " ai:", " ai,", " ai-", "llm",
    "language model", "artificial intelligence", "chatbot", "chat bot", "gpt", "claude", "gemini", "copilot", "assistant", "you are now",
    "the user", "instruction", "prompt", "directive", "<|", "inst]", "sys>>", "system_prompt>", "tool_call>", "function_calls>", "missacht",
    "vergiss", "vergessen sie", "negeer", "vergeet", "oublie", "pas compte", "olvid", "haz caso", "esque\u00e7", "desconsidere", "dimentica",
    "zapomnij", "\u0438\u0433\u043d\u043e\u0440", "\u0437\u0430\u0431\u0443\u0434\u044c", "\u0456\u0433\u043d\u043e\u0440", "talimatlar", "komutlar",
    "\u5ffd\u7565", "\u65e0\u89c6", "\u5ffd\u8996", "\u7121\u8996", "\u5fd8\u8bb0", "\u5fd8\u8a18", "\u5fd8\u308c", "\ubb34\uc2dc", "\uc78a",
    "\u062a\u062c\u0627\u0647\u0644", "\u0627\u0646\u0633", "\u0905\u0928\u0926\u0947\u0916\u093e", "\u0928\u091c\u093c\u0930\u0905\u0902\u0926\u093e\u091c",
)  # fmt: skip
"""Every pattern holds one of these: looking for them is a hundred times quicker than the patterns are."""
BEFORE, BEHIND = 60, 140
MAX_PLACES = 1000
"""Anchors looked at in one text; a text of nothing else is counted so far."""


class Order(Struct, frozen=True):
    """One order: its family, and where it stands, in code points."""

    family: str
    start: int
    end: int


def orders(text: str) -> int:
    """How many times a text gives such an order, as far as the first thousand of its likely places tell."""
    return len(found_orders(text))


def found_orders(text: str) -> list[Order]:
    """The orders that a text gives, in its own order."""
    lower = f" {_lowered(text)} ".replace("\n", " ")
    end = 0
    found: list[Order] = []
    for place in sorted(_places(lower)):
        start = max(end, place - BEFORE)
        if place + BEHIND <= end:
            continue
        matches = list(_ORDER.finditer(lower, start, place + BEHIND))
        found += [
            Order(_FAMILIES[(match.lastindex or 1) - 1][0], max(0, match.start() - 1), min(len(text), match.end() - 1))
            for match in matches
        ]
        end = max(end, matches[-1].end() if matches else place)
    return found


def _lowered(text: str) -> str:
    """In lower case, each character at its place: a few have a longer lower case, and stay as they are."""
    lower = text.lower()
    return lower if len(lower) == len(text) else "".join(low if len(low := one.lower()) == 1 else one for one in text)


def _places(lower: str) -> set[int]:
    places: set[int] = set()
    for anchor in _ANCHORS:
        at = lower.find(anchor)
        while at >= 0 and len(places) < MAX_PLACES:
            places.add(at)
            at = lower.find(anchor, at + BEFORE)
    return places
