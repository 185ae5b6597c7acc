"""Works out the expressions of a script, with a bound on how much: the objects that it is given do to the page what it asks."""

from __future__ import annotations

from typing import Any

from stages.html.script import methods
from stages.html.script.expressions import Node
from stages.html.script.patterns import Pattern
from stages.html.script.tokens import UnreadError
from stages.html.script.values import MISUSED, UNKNOWN, Host, ThrownError, added, amount, binary, kind_of, text, truth

MAX_STEPS = 10_000
"""Statements, calls and rounds of loops in all scripts of a page."""
PATTERN_STEPS = 50
"""What a regular expression counts for."""
MAX_CALLS = 30
"""Functions inside of functions."""
Signal = tuple[str, Any] | None
"""How a statement ends: None where the next one follows."""


class Scope:
    """Names and their values."""

    def __init__(self, above: Scope | None, function: bool = False) -> None:
        self.names: dict[str, Any] = {}
        self.above, self.function = above, function

    def holding(self, name: str) -> Scope | None:
        """The innermost scope that has a name."""
        scope: Scope | None = self
        while scope is not None and name not in scope.names:
            scope = scope.above
        return scope

    def outermost(self) -> Scope:
        """The scope of the function."""
        scope = self
        while not scope.function and scope.above is not None:
            scope = scope.above
        return scope


class Function(Host):
    """A function of the script."""

    def __init__(self, running: Evaluating, node: Node, scope: Scope) -> None:
        super().__init__()
        self.running, self.scope = running, scope
        _, self.name, self.parameters, self.body, self.arrow = node
        self.ran = False
        """Whether it was called before."""

    def get(self, name: str) -> Any:
        if name == "call":
            return lambda this=None, *given: self.called(this, list(given))
        if name == "apply":
            return lambda this=None, given=None: self.called(this, methods.listed(given) or [])
        if name == "bind":
            return lambda this=None, *first: lambda *given: self.called(this, [*first, *given])
        return self.own.get(name, UNKNOWN if name == "prototype" else None)

    def __call__(self, *given: Any) -> Any:
        return self.called(None, list(given))

    def called(self, this: Any, given: list[Any]) -> Any:
        """What it returns."""
        running, scope, self.ran = self.running, Scope(self.scope, True), True
        running.depth += 1
        try:
            if running.depth > MAX_CALLS:
                raise UnreadError("functions too deep in one another")
            running.step()
            if not self.arrow:
                scope.names["this"] = UNKNOWN if this is None else this
                scope.names["arguments"] = given
            if self.name and not self.arrow:
                scope.names.setdefault(self.name, self)
            running.bind(("array", self.parameters), given, scope, scope)
            ended = running.all(self.body.statements, scope)
            return ended[1] if ended else None
        finally:
            running.depth -= 1


class Evaluating:
    """Values of expressions."""

    def __init__(self) -> None:
        self.top = Scope(None, True)
        self.left, self.depth = MAX_STEPS, 0
        self.known = True
        """Whether a name that nobody declared is known not to be there, as no other script is loaded."""

    def step(self) -> None:
        """Count one; raises UnreadError when there were too many."""
        self.left -= 1
        if self.left < 0:
            raise UnreadError("too many steps")

    def all(self, statements: list[Node], scope: Scope) -> Signal:
        """Statements one after the other: the subclass runs them."""
        raise NotImplementedError

    def bind(self, target: Node, value: Any, scope: Scope, into: Scope | None) -> None:
        """Give a target its value."""
        raise NotImplementedError

    def value(self, node: Node, scope: Scope) -> Any:
        """What an expression comes to."""
        return getattr(self, f"ev_{node[0]}")(node, scope)

    def ev_literal(self, node: Node, _scope: Scope) -> Any:
        return node[1]

    def ev_unknown(self, _node: Node, _scope: Scope) -> Any:
        return UNKNOWN

    def ev_regex(self, node: Node, _scope: Scope) -> Any:
        return Pattern(node[1], node[2])

    def ev_template(self, node: Node, scope: Scope) -> Any:
        made: Any = ""
        for part in node[1]:
            made = binary("+", made, part if isinstance(part, str) else self.value(part, scope))
        return made

    def ev_name(self, node: Node, scope: Scope) -> Any:
        holder = scope.holding(node[1])
        return holder.names[node[1]] if holder else self.from_window(node[1])

    def from_window(self, name: str) -> Any:
        """A name that no scope has: the subclass asks the window."""
        raise NotImplementedError

    def ev_comma(self, node: Node, scope: Scope) -> Any:
        self.value(node[1], scope)
        return self.value(node[2], scope)

    def ev_function(self, node: Node, scope: Scope) -> Any:
        return Function(self, node, scope)

    def ev_array(self, node: Node, scope: Scope) -> Any:
        given = self.given(node[1], scope)
        return UNKNOWN if given is None else given

    def given(self, nodes: list[Node], scope: Scope) -> list[Any] | None:
        """Values of a list; None where one part stands for nobody knows how many."""
        found: list[Any] = []
        for node in nodes:
            if node[0] != "spread":
                found.append(self.value(node, scope))
                continue
            more = methods.listed(self.value(node[1], scope))
            if more is None:
                return None
            found += more
        return found

    def ev_object(self, node: Node, scope: Scope) -> Any:
        made: dict[str, Any] = {}
        for key, part in node[1]:
            value = self.value(part, scope)
            if key == ("spread",):
                made.update(value if isinstance(value, dict) else {})
            elif (name := text(self.value(key, scope))) is not UNKNOWN:
                made[name] = value
        return made

    def ev_conditional(self, node: Node, scope: Scope) -> Any:
        holds = truth(self.value(node[1], scope))
        return UNKNOWN if holds is UNKNOWN else self.value(node[2] if holds else node[3], scope)

    def ev_logical(self, node: Node, scope: Scope) -> Any:
        left = self.value(node[2], scope)
        holds = truth(left)
        if holds is UNKNOWN:
            return UNKNOWN
        goes_on = {"&&": holds, "||": not holds, "??": left is None}[node[1]]
        return self.value(node[3], scope) if goes_on else left

    def ev_binary(self, node: Node, scope: Scope) -> Any:
        _, sign, left, right = node
        one, other = self.value(left, scope), self.value(right, scope)
        if sign == "in":
            return methods.holds(other, text(one))
        return UNKNOWN if sign == "instanceof" else binary(sign, one, other)

    def ev_unary(self, node: Node, scope: Scope) -> Any:
        _, sign, inner = node
        if sign == "typeof" and inner[0] == "name" and not scope.holding(inner[1]):
            try:
                return kind_of(self.from_window(inner[1]))
            except ThrownError:
                return "undefined"
        value = self.value(inner, scope)
        if sign == "!":
            return UNKNOWN if truth(value) is UNKNOWN else not truth(value)
        if sign in ("-", "+"):
            number = amount(value)
            return number if number is UNKNOWN or sign == "+" else -number
        return {"typeof": kind_of(value), "await": value, "delete": True, "void": None}.get(sign, UNKNOWN)

    def ev_step(self, node: Node, scope: Scope) -> Any:
        _, sign, target, first = node
        before = amount(self.value(target, scope))
        after = added(before, 1.0 if sign == "++" else -1.0) if before is not UNKNOWN else UNKNOWN
        self.bind(target, after, scope, None)
        return after if first else before

    def ev_assign(self, node: Node, scope: Scope) -> Any:
        _, sign, target, source = node
        if sign == "=":
            value = self.value(source, scope)
        else:
            before = self.value(target, scope)
            if sign in ("||=", "&&=", "??="):
                held = truth(before)
                if held is UNKNOWN or not {"||=": not held, "&&=": held, "??=": before is None}[sign]:
                    return before
                value = self.value(source, scope)
            else:
                value = binary(sign[:-1], before, self.value(source, scope))
        self.bind(target, value, scope, None)
        return value

    def ev_member(self, node: Node, scope: Scope) -> Any:
        holder = self.value(node[1], scope)
        if holder is None and (node[3] or _optional(node[1])):
            return None
        return methods.get(holder, self.value(node[2], scope))

    def ev_call(self, node: Node, scope: Scope) -> Any:
        _, callee, arguments, optional = node
        this = None
        if callee[0] == "member":
            this = self.value(callee[1], scope)
            if this is None and (callee[3] or _optional(callee[1])):
                return None
            function = methods.get(this, self.value(callee[2], scope))
        else:
            function = self.value(callee, scope)
        if function is None and (optional or _optional(callee)):
            return None
        given = self.given(arguments, scope)
        if isinstance(this, list | str):
            self.left -= len(this) // 100
        if isinstance(this, Pattern) or any(isinstance(each, Pattern) for each in given or ()):
            self.left -= PATTERN_STEPS
        return UNKNOWN if given is None else self.call(function, this, given)

    def ev_new(self, node: Node, scope: Scope) -> Any:
        maker = self.value(node[1], scope)
        given = self.given(node[2], scope)
        made = getattr(maker, "made", None)
        if isinstance(maker, Function):
            this: dict[str, Any] = {}
            maker.called(this, given or [])
            return this
        return self.call(made, None, given) if made and given is not None else UNKNOWN

    def call(self, function: Any, this: Any, given: list[Any]) -> Any:
        """What a function returns, if it is one."""
        self.step()
        if isinstance(function, Function):
            return function.called(this, given)
        if function is UNKNOWN:
            return UNKNOWN
        if not callable(function):
            raise ThrownError
        try:
            return function(*given)
        except MISUSED:
            return UNKNOWN


def _optional(node: Node) -> bool:
    """Whether a chain has `?.` in it: then all of it ends there."""
    while node[0] in ("member", "call"):
        if node[3]:
            return True
        node = node[1]
    return False
