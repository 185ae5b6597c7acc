"""Runs the statements of a script."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from stages.html.script import methods
from stages.html.script.evaluating import Evaluating, Function, Scope, Signal
from stages.html.script.expressions import Node
from stages.html.script.tokens import UnreadError
from stages.html.script.values import MAX_LIST, UNKNOWN, Host, ThrownError, same, text, truth
from stages.html.script.window import Window


class Running(Evaluating):
    """One page's scripts, whose outermost names are those of its window."""

    def __init__(self, window: Callable[[Running], Window]) -> None:
        super().__init__()
        self.window = window(self)
        self.top.names["this"] = self.window

    def all(self, statements: list[Node], scope: Scope) -> Signal:
        """Statements one after the other."""
        for node in statements:
            self.step()
            ended: Signal = getattr(self, f"do_{node[0]}")(node, scope)
            if ended:
                return ended
        return None

    def from_window(self, name: str) -> Any:
        found = self.window.get(name)
        if found is None and self.known and not (name in self.window.own or name in self.window.table):
            raise ThrownError
        return found

    def do_block(self, node: Node, scope: Scope) -> Signal:
        return self.all(node[1], Scope(scope))

    def do_expression(self, node: Node, scope: Scope) -> Signal:
        self.value(node[1], scope)
        return None

    def do_declare(self, node: Node, scope: Scope) -> Signal:
        scope.names[node[1]] = Function(self, node[2], scope)
        return None

    def do_let(self, node: Node, scope: Scope) -> Signal:
        for target, value in node[1]:
            self.bind(target, None if value is None else self.value(value, scope), scope, scope)
        return None

    def do_var(self, node: Node, scope: Scope) -> Signal:
        outer = scope.outermost()
        for target, value in node[1]:
            if value is not None or target[1] not in outer.names:
                self.bind(target, None if value is None else self.value(value, scope), scope, outer)
        return None

    def do_if(self, node: Node, scope: Scope) -> Signal:
        _, test, then, otherwise = node
        holds = truth(self.value(test, scope))
        if holds is UNKNOWN:  # neither way is gone; where one of them ends the function, nothing after it is known to run
            return ("return", UNKNOWN) if _leaves(then) or (otherwise and _leaves(otherwise)) else None
        chosen = then if holds else otherwise
        return self.all([chosen], scope) if chosen else None

    def do_for(self, node: Node, scope: Scope) -> Signal:
        _, first, test, after, body = node
        inner = Scope(scope)
        self.all([first] if first[0] != "block" else [], inner)
        while test is None or truth(self.value(test, inner)) is True:
            self.step()
            turn = Scope(inner)
            turn.names.update(inner.names)  # each round has its own, as functions that remember it do
            ended = self.all([body], turn)
            inner.names.update({name: turn.names[name] for name in inner.names})
            if ended and ended[0] != "continue":
                return ended if ended[0] == "return" else None
            if after is not None:
                self.value(after, inner)
        return None

    def do_each(self, node: Node, scope: Scope) -> Signal:
        _, way, kind, target, subject, body = node
        over = self.value(subject, scope)
        if way == "in":
            over = list(over) if isinstance(over, dict) else [text(float(at)) for at in range(len(methods.listed(over) or []))]
        for item in methods.listed(over) or []:
            self.step()
            turn = Scope(scope)
            self.bind(target, item, turn, turn if kind in ("let", "const") else scope.outermost() if kind else None)
            ended = self.all([body], turn)
            if ended and ended[0] != "continue":
                return ended if ended[0] == "return" else None
        return None

    def do_return(self, node: Node, scope: Scope) -> Signal:
        return ("return", None if node[1] is None else self.value(node[1], scope))

    def do_break(self, _node: Node, _scope: Scope) -> Signal:
        return ("break", None)

    def do_continue(self, _node: Node, _scope: Scope) -> Signal:
        return ("continue", None)

    def do_throw(self, node: Node, scope: Scope) -> Signal:
        self.value(node[1], scope)
        raise ThrownError

    def do_try(self, node: Node, scope: Scope) -> Signal:
        _, body, name, caught, last = node
        ended = None
        try:
            ended = self.all([body], scope)
        except ThrownError:
            if caught:
                inner = Scope(scope)
                if name:
                    self.bind(name, UNKNOWN, inner, inner)
                ended = self.all([caught], inner)
        return (self.all([last], scope) if last else None) or ended

    def do_switch(self, node: Node, scope: Scope) -> Signal:
        subject = self.value(node[1], scope)
        if subject is UNKNOWN:
            return None
        inner, cases = Scope(scope), node[2]
        start = next((at for at, (test, _) in enumerate(cases) if test and same(subject, self.value(test, inner))), None)
        if start is None:
            start = next((at for at, (test, _) in enumerate(cases) if test is None), len(cases))
        for _, statements in cases[start:]:
            ended = self.all(statements, inner)
            if ended:
                return ended if ended[0] != "break" else None
        return None

    def bind(self, target: Node, value: Any, scope: Scope, into: Scope | None) -> None:
        """Give a name, a property or each part of a pattern its value; names are made in `into`, or set where they are."""
        kind = target[0]
        if kind == "assign":
            self.bind(target[2], self.value(target[3], scope) if value is None else value, scope, into)
        elif kind == "name":
            holder = into or scope.holding(target[1])
            if holder is None:
                self.window.set(target[1], value)
            else:
                holder.names[target[1]] = value
        elif kind == "member":
            self.put(self.value(target[1], scope), self.value(target[2], scope), value)
        elif kind == "array":
            given = methods.listed(value)
            for at, part in enumerate(target[1]):
                rest = part[0] == "spread"
                got = UNKNOWN if given is None else given[at:] if rest else given[at] if at < len(given) else None
                if part != ("literal", None):
                    self.bind(part[1] if rest else part, got, scope, into)
        elif kind == "object":
            for key, part in target[1]:
                got = UNKNOWN if key == ("spread",) else methods.get(value, self.value(key, scope))
                self.bind(part, got, scope, into)
        else:
            raise UnreadError(f"{kind} cannot be assigned to")

    def put(self, holder: Any, name: Any, value: Any) -> None:
        """Set a property."""
        if holder is None:
            raise ThrownError
        name = text(name)
        if isinstance(holder, Host) and name is not UNKNOWN:
            holder.set(name, value)
        elif isinstance(holder, dict) and name is not UNKNOWN and len(holder) < MAX_LIST:
            holder[name] = value
        elif isinstance(holder, list):
            methods.put(holder, name, value)


def _leaves(node: Node) -> bool:
    """Whether a branch ends what is around it."""
    if node[0] == "block":
        return any(_leaves(each) for each in node[1])
    return node[0] in ("return", "throw", "break", "continue")
