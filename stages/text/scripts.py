"""Code point classes of the Unicode policy, as bodies of regular-expression character classes.

From the Unicode Character Database 16 and UTS #51 (emoji); blocks are given whole where a script owns them.
"""

from __future__ import annotations

ARABIC_LIKE = (
    "\u0600-\u060f\u0610-\u061b\u061d-\u08ff\ufb50-\ufdcf"
    "\ufdf0-\ufdff\ufe70-\ufefc\U00010ac0-\U00010aff\U00010f30-\U00010fdf\U0001e900-\U0001e95f"
)
"""Scripts whose letters join: Arabic, Syriac, Thaana, N'Ko, Mandaic, Manichaean, Sogdian, Adlam."""

BRAHMIC = (
    "\u0900-\u0dff\u0f00-\u109f\u1700-\u17b3\u17b6-\u17ff\u1900-\u194f\u1980-\u19df\u1a00-\u1aaf\u1b00-\u1c4f\u1cd0-\u1cff"
    "\ua800-\ua8ff\ua980-\ua9df\uaa00-\uaadf\uabc0-\uabff\U00011000-\U00011fff"
)
"""Scripts with conjuncts that joiners steer: Devanagari to Sinhala, Tibetan, Myanmar, Khmer, and their kin."""

MONGOLIAN = "\u1807\u180a\u1820-\u18aa\ua840-\ua877"
"""Letters of Mongolian and Phags-pa."""

JOINING = ARABIC_LIKE + BRAHMIC + MONGOLIAN

SPACELESS = "\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1980-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf"
"""Thai, Lao, Tibetan, Myanmar, Khmer, Tai: written without spaces, so a zero-width space marks where a line may break."""

RIGHT_TO_LEFT = (
    "\u05be-\u060f\u061b\u061d-\u064a\u066d-\u08ff"
    "\ufb1d-\ufdcf\ufdf0-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff"
)

EMOJI = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u23ff\u2460-\u24ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff\u3030\u303d\u3297\u3299"
    "\U0001f000-\U0001faff"
)
"""What may take an emoji or text presentation selector, or stand in a joined emoji."""

IDEOGRAPHS = "\u2e80-\u2fdf\u3005\u3007\u3021-\u3029\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"

KANA = "\u3040-\u30ff\u31f0-\u31ff\uff66-\uff9f"

STYLED = (
    "0\u2205\u2229\u222a\u2264-\u22ff\u2a00-\u2aff\u2652-\u265f\u3001\u3002"
    "\uff01\uff0c\uff0e\uff1a\uff1b\uff1f\u1000-\u109f\ua840-\ua877\U00010ac5-\U00010af0"
)
"""Bases of standardized variation sequences with VS1 to VS3 that are no emoji."""

SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef\u180b-\u180d\u180f"

FILLERS = "\u115f\u1160\u2800\u3164\uffa0"

ZERO_WIDTH = (
    "\u00ad\u034f\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\ufeff\ufff0-\ufffb\ufdd0-\ufdef\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0080-\U000e00ff\U000e01f0-\U000e0fff"
    + "".join(chr(plane << 16 | low) for plane in range(1, 15) for low in (0xFFFE, 0xFFFF))
)
"""Nothing to see: format characters that no rule below keeps, noncharacters, unassigned default-ignorables."""

BIDI = "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"

PRIVATE = "\ue000-\uf8ff\U000f0000-\U0010ffff"

CONTROLS = "\x00-\x08\x0b-\x1f\x7f-\x9f"

WIDE_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
