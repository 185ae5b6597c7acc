"""Statements of scripts as tuples."""

from __future__ import annotations

from stages.html.script.expressions import Expressions, Node
from stages.html.script.tokens import UnreadError

_STATEMENTS = frozenset({
    "function", "class", "if", "for", "while", "do", "return", "throw", "break", "continue", "try", "switch",
})  # fmt: skip


class Reader(Expressions):
    """Reads whole statements."""

    def program(self) -> list[Node]:
        """Statements to the end; functions first, as they are known before the rest runs."""
        found = []
        while self.at < self.end:
            found.append(self.statement())
        return sorted(found, key=lambda node: node[0] != "declare")

    def statement(self) -> Node:
        token = self.peek()
        if token.kind == "sign" and token.value == "{":
            return ("block", self.inside("{").program())
        if self.take(";"):
            return ("block", [])
        if token.kind == "name":
            following = self.every[self.at + 1]
            if token.value == "async" and following.value == "function" and not following.new_line:
                self.at += 1
                token = self.peek()
            if token.value in ("var", "const", "let") and (following.kind == "name" or following.value in ("[", "{")):
                return self.ended(self.declaration())
            read = getattr(self, f"_{token.value}", None) if token.value in _STATEMENTS else None
            if read:
                self.at += 1
                made: Node = read()
                return made
            if following.kind == "sign" and following.value == ":":
                self.at += 2
                return self.statement()
        return self.ended(("expression", self.expression()))

    def ended(self, node: Node) -> Node:
        if not self.take(";") and not self.peek().new_line and not self.sees("}"):
            raise UnreadError("a statement without an end")
        return node

    def declaration(self) -> Node:
        kind = self.name()
        found = []
        while True:
            target = self.primary()
            found.append((target, self.assignment() if self.take("=") else None))
            if not self.take(","):
                return ("let" if kind != "var" else "var", found)

    def _function(self) -> Node:
        self.take("*")
        name = self.name()
        return ("declare", name, self.function(name))

    def _class(self) -> Node:
        name = self.name()
        while not self.sees("{"):
            self.at += 1
        self.over("{")
        return ("let", [(("name", name), ("unknown",))])

    def _if(self) -> Node:
        test = self.inside("(").expression()
        then = self.statement()
        return ("if", test, then, self.statement() if self.take("else") else None)

    def _for(self) -> Node:
        head = self.inside("(")
        kind = head.peek().value if head.sees("var", "let", "const") else ""
        start = head.at
        if kind:
            head.at += 1
        if not head.sees(";"):
            target = head.primary() if kind else head.postfix()
            if head.sees("of", "in"):
                way = head.name()
                return ("each", way, kind, target, head.expression(), self.statement())
        head.at = start
        first: Node = ("block", [])
        if not head.sees(";"):
            first = head.declaration() if kind else ("expression", head.expression())
        head.need(";")
        test = None if head.sees(";") else head.expression()
        head.need(";")
        step = None if head.at >= head.end else head.expression()
        return ("for", first, test, step, self.statement())

    def _while(self) -> Node:
        test = self.inside("(").expression()
        return ("for", ("block", []), test, None, self.statement())

    def _do(self) -> Node:
        body = self.statement()
        self.need("while")
        test = self.inside("(").expression()
        self.take(";")
        return ("block", [body, ("for", ("block", []), test, None, body)])

    def _return(self) -> Node:
        token = self.peek()
        if token.new_line or self.sees(";", "}"):
            self.take(";")
            return ("return", None)
        return self.ended(("return", self.expression()))

    def _throw(self) -> Node:
        return self.ended(("throw", self.expression()))

    def _break(self) -> Node:
        return self._jump("break")

    def _continue(self) -> Node:
        return self._jump("continue")

    def _jump(self, kind: str) -> Node:
        if self.peek().kind == "name" and not self.peek().new_line:
            raise UnreadError("a jump to a label")
        return self.ended((kind,))

    def _try(self) -> Node:
        body, name, caught, last = self.statement(), None, None, None
        if self.take("catch"):
            name = self.inside("(").primary() if self.sees("(") else None
            caught = self.statement()
        if self.take("finally"):
            last = self.statement()
        return ("try", body, name, caught, last)

    def _switch(self) -> Node:
        subject = self.inside("(").expression()
        body = self.inside("{")
        cases: list[tuple[Node | None, list[Node]]] = []
        while body.at < body.end:
            test = None
            if body.take("case"):
                test = body.expression()
            else:
                body.need("default")
            body.need(":")
            inside = []
            while body.at < body.end and not body.sees("case", "default"):
                inside.append(body.statement())
            cases.append((test, inside))
        return ("switch", subject, cases)
