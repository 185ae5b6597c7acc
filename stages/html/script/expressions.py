"""Expressions of scripts as tuples: the first part says of what kind, the others are what it is made of.

The inside of a function stays tokens until somebody calls it.
"""

from __future__ import annotations

from typing import Any, Self

from stages.html.script.tokens import Token, Tokens, UnreadError

Node = tuple[Any, ...]
_BINARY = {
    "??": 1, "||": 2, "&&": 3, "|": 4, "^": 5, "&": 6, "==": 7, "!=": 7, "===": 7, "!==": 7, "<": 8, ">": 8, "<=": 8, ">=": 8,
    "instanceof": 8, "in": 8, "<<": 9, ">>": 9, ">>>": 9, "+": 10, "-": 10, "*": 11, "/": 11, "%": 11, "**": 12,
}  # fmt: skip
_ASSIGN = frozenset({"=", "+=", "-=", "*=", "/=", "%=", "||=", "&&=", "??=", "|=", "&=", "^=", "<<=", ">>=", ">>>=", "**="})
_UNARY = frozenset({"!", "-", "+", "~", "typeof", "void", "delete", "await"})
_VALUES: dict[str, Any] = {"true": True, "false": False, "null": None}


_NO_VALUES = frozenset({"import", "export", "yield", "super", "if", "for", "while", "return", "else", "in", "of"})


class Body:
    """What a function does, read when it is first called."""

    def __init__(self, reader: Expressions, expression: bool) -> None:
        self.reader, self.expression = reader, expression
        self._read: list[Node] | None = None

    @property
    def statements(self) -> list[Node]:
        """Its statements."""
        if self._read is None:
            self._read = [("return", self.reader.assignment())] if self.expression else self.reader.program()
        return self._read


class Expressions:
    """Reads the tokens of a script from one place to another."""

    def __init__(self, tokens: Tokens, start: int = 0, end: int | None = None) -> None:
        self.tokens, self.every, self.at = tokens, tokens.every, start
        self.end = len(tokens.every) - 1 if end is None else end

    def program(self) -> list[Node]:
        """Statements to the end: the subclass reads them."""
        raise NotImplementedError

    def peek(self) -> Token:
        return self.every[self.at] if self.at < self.end else Token("end", "", True)

    def sees(self, *values: str) -> bool:
        token = self.peek()
        return token.kind in ("sign", "name") and token.value in values

    def take(self, value: str) -> bool:
        if self.sees(value):
            self.at += 1
            return True
        return False

    def need(self, value: str) -> None:
        if not self.take(value):
            raise UnreadError(f"{value!r} expected")

    def name(self) -> str:
        token = self.peek()
        if token.kind != "name":
            raise UnreadError("a name expected")
        self.at += 1
        return str(token.value)

    def over(self, opening: str) -> tuple[int, int]:
        """Step over brackets; where their inside starts and ends."""
        if not self.sees(opening):
            raise UnreadError(f"{opening!r} expected")
        start, end = self.at + 1, self.tokens.ends[self.at]
        self.at = end + 1
        return start, end

    def part(self, start: int, end: int) -> Self:
        """A reader of some of the tokens."""
        return type(self)(self.tokens, start, end)

    def inside(self, opening: str) -> Self:
        """A reader of what is between brackets, which are stepped over."""
        return self.part(*self.over(opening))

    def expression(self) -> Node:
        node = self.assignment()
        while self.take(","):
            node = ("comma", node, self.assignment())
        return node

    def assignment(self) -> Node:
        made = self.arrow()
        if made:
            return made
        left = self.conditional()
        if self.peek().kind == "sign" and self.peek().value in _ASSIGN:
            sign = self.peek().value
            self.at += 1
            return ("assign", sign, left, self.assignment())
        return left

    def arrow(self) -> Node | None:
        start = self.at
        if self.sees("async") and not self.every[self.at + 1].new_line and self.every[self.at + 1].value != "=>":
            self.at += 1
        parameters: list[Node] = []
        if self.sees("("):
            close = self.tokens.ends[self.at]
            if close + 1 < self.end and self.every[close + 1].value == "=>" and self.every[close + 1].kind == "sign":
                parameters = self.items("(")
        elif self.peek().kind == "name" and self.at + 1 < self.end and self.every[self.at + 1][:2] == ("sign", "=>"):
            parameters = [("name", self.name())]
        if not self.sees("=>"):
            self.at = start
            return None
        self.at += 1
        if self.sees("{"):
            return ("function", "", parameters, Body(self.inside("{"), False), True)
        begin = self.at
        self.assignment()
        return ("function", "", parameters, Body(self.part(begin, self.at), True), True)

    def conditional(self) -> Node:
        test = self.binary(0)
        if not self.take("?"):
            return test
        then = self.assignment()
        self.need(":")
        return ("conditional", test, then, self.assignment())

    def binary(self, least: int) -> Node:
        left = self.unary()
        while True:
            token = self.peek()
            level = _BINARY.get(token.value, 0) if token.kind in ("sign", "name") else 0
            if level <= least:
                return left
            self.at += 1
            right = self.binary(level if token.value != "**" else level - 1)
            left = ("logical" if level <= 3 else "binary", token.value, left, right)  # noqa: PLR2004 - `??`, `||`, `&&`

    def unary(self) -> Node:
        token = self.peek()
        if token.kind in ("sign", "name") and token.value in _UNARY:
            self.at += 1
            return ("unary", token.value, self.unary())
        if self.sees("++", "--"):
            self.at += 1
            return ("step", token.value, self.unary(), True)
        node = self.postfix()
        token = self.peek()
        if self.sees("++", "--") and not token.new_line:
            self.at += 1
            return ("step", token.value, node, False)
        return node

    def postfix(self) -> Node:
        node = self.primary()
        while True:
            if self.take("."):
                node = ("member", node, ("literal", self.name()), False)
            elif self.take("?."):
                if self.sees("("):
                    node = ("call", node, self.items("("), True)
                elif self.sees("["):
                    node = ("member", node, self.inside("[").expression(), True)
                else:
                    node = ("member", node, ("literal", self.name()), True)
            elif self.sees("["):
                node = ("member", node, self.inside("[").expression(), False)
            elif self.sees("("):
                node = ("call", node, self.items("("), False)
            else:
                return node

    def items(self, opening: str) -> list[Node]:
        """What is between commas inside brackets, `...` among it."""
        inside, found = self.inside(opening), []
        while inside.at < inside.end:
            if inside.take(","):
                found.append(("literal", None))
                continue
            found.append(("spread", inside.assignment()) if inside.take("...") else inside.assignment())
            if inside.at < inside.end:
                inside.need(",")
        return found

    def primary(self) -> Node:  # noqa: PLR0911 - one kind after the other
        token = self.peek()
        if token.kind in ("number", "string"):
            self.at += 1
            return ("literal", token.value)
        if token.kind == "regex":
            self.at += 1
            return ("regex", *token.value)
        if token.kind == "template":
            self.at += 1
            return ("template", [part if isinstance(part, str) else self.templated(part) for part in token.value])
        if token.kind == "name":
            return self.named()
        if token.value == "(":
            return self.inside("(").expression()
        if token.value == "[":
            return ("array", self.items("["))
        if token.value == "{":
            return ("object", self.properties(self.inside("{")))
        raise UnreadError(f"{token.value!r} is no value")

    def templated(self, every: list[Token]) -> Node:
        """An expression inside a template."""
        return type(self)(Tokens(every)).expression()

    def named(self) -> Node:
        name = self.name()
        if name in _VALUES:
            return ("literal", _VALUES[name])
        if name == "function" or (name == "async" and self.sees("function")):
            self.at += name == "async"
            self.take("*")
            return self.function(self.name() if self.peek().kind == "name" else "")
        if name == "new":
            return self.made()
        if name == "class":
            while not self.sees("{"):
                self.name()
            self.over("{")
            return ("unknown",)
        if name in _NO_VALUES:
            raise UnreadError(f"{name} is no value")
        return ("name", name)

    def made(self) -> Node:
        """`new X.Y(…)`."""
        node = self.primary()
        while self.take("."):
            node = ("member", node, ("literal", self.name()), False)
        return ("new", node, self.items("(") if self.sees("(") else [])

    def function(self, name: str) -> Node:
        """Parameters and body."""
        parameters = self.items("(")
        return ("function", name, parameters, Body(self.inside("{"), False), False)

    def properties(self, inside: Self) -> list[tuple[Node, Node]]:
        """Keys and values of an object; of a pattern too, with what stands for a missing one."""
        found: list[tuple[Node, Node]] = []
        while inside.at < inside.end:
            if inside.take("..."):
                found.append((("spread",), inside.assignment()))
            else:
                found.append(inside.property())
            if inside.at < inside.end:
                inside.need(",")
        return found

    def property(self) -> tuple[Node, Node]:
        """One key with its value."""
        while self.sees("get", "set", "async") and self.every[self.at + 1].value not in (":", ",", "(", "}", "="):
            self.at += 1
        token = self.peek()
        if token.value == "[" and token.kind == "sign":
            key = self.inside("[").expression()
        else:
            self.at += 1
            key = ("literal", token.value if isinstance(token.value, str) else f"{token.value:g}")
        if self.take(":"):
            return key, self.assignment()
        if self.sees("("):
            return key, self.function("")
        value: Node = ("name", token.value)
        return key, ("assign", "=", value, self.assignment()) if self.take("=") else value
