"""The lifter: a function of the model, read from its own source, as terms of Z3.

It evaluates the source as Python does, on values that may be terms. Where a condition is a term,
both branches count. What Python would have refused (a division by zero, an index that is not
there, a failed assertion) becomes an *obligation* that a proof has to meet. A function whose
arguments are all known, and hold no functions, is simply run. What the lifter does not know is
an `Unsupported` that names file and line: nothing is guessed.
"""

import ast
import builtins
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, is_dataclass, replace
from functools import cache, partial, reduce
from itertools import chain
from pathlib import Path
from types import BuiltinMethodType, FunctionType
from typing import Any

import z3

from allotment_proofs.trusted import values
from allotment_proofs.trusted.values import Items, Oracle, Truth, Unsupported, Value


@dataclass(frozen=True, slots=True)
class Frame:
    """One call: the function, and its local names so far."""

    function: FunctionType
    names: dict[str, Value]


@dataclass(slots=True)
class Lifter:
    """Lifts calls, and remembers what they rest on.

    `obligations` must hold for the terms to mean what Python computes. `lifted` are the functions
    that were read, `read` the fields that were read, as owner's class and name. `mutants` are
    read in place of the source of their functions.
    """

    mutants: dict[FunctionType, ast.FunctionDef | ast.Lambda] = field(default_factory=dict)

    obligations: list[Truth] = field(default_factory=list)
    lifted: dict[FunctionType, None] = field(default_factory=dict)
    read: set[tuple[type, str]] = field(default_factory=set)
    _path: tuple[Truth, ...] = ()

    def call(self, function: Value, *given: Value, **named: Value) -> Value:
        """The value of a call."""
        is_known = not values.is_symbolic((given, named, getattr(function, "__self__", None)))
        if isinstance(function, Oracle):
            return function.answer(*given, **named)
        if function in _BUILTINS and not (named or is_known):
            return _BUILTINS[function](*given)
        if isinstance(function, BuiltinMethodType) and isinstance(function.__self__, dict):
            if function.__name__ in ("get", "items", "keys", "values") and all(
                not values.is_symbolic(one) for one in (*given[:1], *function.__self__)
            ):
                return function(*given)
        elif isinstance(function, FunctionType) and function is not replace:
            self.lifted[function] = None
            hold_functions = any(map(callable, chain(*map(values.parts_of, given))))
            if not is_known or not given or hold_functions:
                return self._call_source(function, given, named)
            return function(*given, **named)
        elif is_known or function is replace or _is_record(function):
            return function(*given, **named)
        raise Unsupported(f"a call of {function}")

    def _call_source(self, function: FunctionType, given: Sequence[Value], named: Any) -> Value:
        bound = inspect.signature(function).bind(*given, **named)
        bound.apply_defaults()
        frame = Frame(function, dict(bound.arguments))
        node = self.mutants.get(function) or node_of(function)
        if isinstance(node, ast.Lambda):
            return self._value(node.body, frame)
        return self._block(node.body, frame)

    def _under(self, condition: Truth, evaluate: Callable[[], Value]) -> Value:
        before, self._path = self._path, (*self._path, condition)
        try:
            return evaluate()
        finally:
            self._path = before

    def _oblige(self, condition: Truth) -> None:
        self.obligations.append(values.either(*map(values.opposite, self._path), condition))

    def _branch(self, test: ast.expr, branches: Any, frame: Frame, evaluate: Any) -> Value:
        """The branch that is known to be taken, or both, each with local names of its own."""
        condition = values.truth(self._value(test, frame))
        if isinstance(condition, bool):
            return evaluate(branches[0 if condition else 1], frame)
        yes, no = (
            self._under(case, partial(evaluate, branch, replace(frame, names={**frame.names})))
            for case, branch in zip((condition, z3.Not(condition)), branches, strict=True)
        )
        return values.choose(condition, yes, no)

    def _block(self, statements: Sequence[ast.stmt], frame: Frame) -> Value:
        for position, statement in enumerate(statements):
            rest = statements[position + 1 :]
            try:
                match statement:
                    case ast.Expr(value=ast.Constant()):
                        continue
                    case ast.Assert(test=test):
                        self._oblige(values.truth(self._value(test, frame)))
                    case ast.Assign(targets=[target], value=assigned):
                        frame.names.update(_bound(target, self._value(assigned, frame)))
                    case ast.If(test=test, body=body, orelse=orelse):
                        branches = [*body, *rest], [*orelse, *rest]
                        return self._branch(test, branches, frame, self._block)
                    case ast.Return(value=ast.expr() as returned):
                        return self._value(returned, frame)
                    case ast.Expr(value=ast.YieldFrom(value=source)) if not rest:
                        return self._value(source, frame)
                    case ast.For() if not rest:
                        return self._each(*_yielded(statement), frame)
                    case _:
                        raise Unsupported("a statement of this kind")
            except Unsupported as unknown:
                raise _placed(unknown, statement, frame) from None
        return None

    def _value(self, node: ast.expr, frame: Frame) -> Value:
        try:
            return self._unplaced(node, frame)
        except Unsupported as unknown:
            raise _placed(unknown, node, frame) from None

    def _unplaced(self, node: ast.expr, frame: Frame) -> Value:
        value = partial(self._value, frame=frame)
        match node:
            case ast.Constant(value=None | bool() | int() | str() as constant):
                return constant
            case ast.Name(id=name):
                return _named(name, frame)
            case ast.BinOp(left=left, op=operator, right=right):
                return self._operate(operator, value(left), value(right))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return values.opposite(values.truth(value(operand)))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -values.integer(value(operand))
            case ast.BoolOp(op=operator, values=[first, *others]):
                rest = ast.BoolOp(operator, others) if others[1:] else others[0]
                branches = (rest, first) if isinstance(operator, ast.And) else (first, rest)
                return self._branch(first, branches, frame, self._value)
            case ast.Compare(left=left, ops=operators, comparators=others):
                operands = [value(one) for one in (left, *others)]
                return values.both(*map(_compare, operators, operands, operands[1:]))
            case ast.IfExp(test=test, body=body, orelse=orelse):
                return self._branch(test, (body, orelse), frame, self._value)
            case ast.GeneratorExp(elt=item, generators=loops):
                return self._each(item, loops, frame)
            case ast.ListComp(elt=item, generators=loops):
                return self._each(item, loops, frame)
            case ast.SetComp(elt=item, generators=loops):
                return set(_known(self._each(item, loops, frame)))
            case ast.DictComp(key=key, value=held, generators=loops):
                entries = self._each(ast.Tuple([key, held]), loops, frame)
                return dict(
                    zip(_known(tuple(e[0] for e in entries)), (e[1] for e in entries), strict=True)
                )
            case _:
                return self._of_record(node, frame)

    def _of_record(self, node: ast.expr, frame: Frame) -> Value:
        """An expression that makes, or reads, what has parts; or a call."""
        value = partial(self._value, frame=frame)
        match node:
            case ast.Attribute(value=owner, attr=name):
                if not isinstance(held := value(owner), z3.ExprRef | Items):
                    found = getattr(held, name)
                    if not isinstance(found, Oracle):
                        self.read.add((type(held), name))
                    return found
            case ast.Tuple(elts=elements) | ast.List(elts=elements):
                return tuple(map(value, elements))
            case ast.Dict(keys=keys, values=held):
                known = _known(tuple(value(key) for key in keys if key))
                return dict(zip(known, map(value, held), strict=True))
            case ast.Subscript(value=sequence, slice=index):
                return self._item(value(sequence), index, frame)
            case ast.Call(func=called, args=given, keywords=named):
                options: dict[str, Value] = {}
                for one in named:
                    held = value(one.value)
                    options.update({one.arg: held} if one.arg else held)
                return self.call(value(called), *map(value, given), **options)
            case _:
                pass
        raise Unsupported("an expression of this kind")

    def _each(self, item: ast.expr, loops: list[ast.comprehension], frame: Frame) -> Value:
        """The items of a comprehension."""
        first, *inner = loops
        source = self._value(first.iter, frame)

        def inside(one: Value) -> Frame:
            return replace(frame, names={**frame.names, **_bound(first.target, one)})

        def passes(one: Value) -> Truth:
            return values.both(*(values.truth(self._value(t, inside(one))) for t in first.ifs))

        if not isinstance(source, Items):
            if isinstance(source, z3.ExprRef | Oracle):
                raise Unsupported("a loop over something unknown")
            source = tuple(source)
            kept = [passes(one) for one in source]
            known = [inside(one) for one, there in zip(source, kept, strict=True) if there is True]
            if not any(map(values.is_symbolic, kept)):
                found = [
                    self._each(item, inner, one) if inner else self._value(item, one)
                    for one in known
                ]
                return tuple(chain(*found) if inner else found)
            source = values.as_items(source)
        if inner:
            raise Unsupported("a loop within a loop of unknown length")

        def guard(index: Value) -> Truth:
            there = values.both(source.present(index))
            return values.both(there, self._under(there, lambda: passes(source.at(index))))

        return Items(
            source.start,
            source.stop,
            lambda index: self._value(item, inside(source.at(index))),
            guard if first.ifs or source.guard else None,
        )

    def _item(self, sequence: Value, index: ast.expr, frame: Frame) -> Value:
        if isinstance(index, ast.Slice):
            ends = (index.lower, index.upper, index.step)
            key: Value = slice(*(one and self._value(one, frame) for one in ends))
        else:
            key = self._value(index, frame)
        if values.is_symbolic(key) or (isinstance(key, slice) and values.is_symbolic(key.stop)):
            raise Unsupported("an index that is not known")
        if not isinstance(sequence, Items):
            return sequence[key]
        if isinstance(key, int):
            self._oblige(values.less(key, sequence.length))
        return sequence.item(key)

    def _operate(self, operator: ast.operator, left: Value, right: Value) -> Value:
        if isinstance(operator, ast.Add) and type(left) is tuple and type(right) is tuple:
            return left + right
        if isinstance(operator, ast.BitOr) and isinstance(left, dict) and isinstance(right, dict):
            return left | right
        if isinstance(operator, ast.Pow) and not values.is_symbolic((left, right)):
            return left**right
        if type(operator) not in _ARITHMETIC:
            raise Unsupported(f"the operator {type(operator).__name__}")
        if isinstance(operator, ast.FloorDiv | ast.Mod):
            self._oblige(values.opposite(values.equal(values.integer(right), 0)))
        return _ARITHMETIC[type(operator)](values.integer(left), values.integer(right))


def _placed(unknown: Unsupported, node: ast.expr | ast.stmt, frame: Frame) -> Unsupported:
    """The same refusal with the file and the line; the innermost place stands."""
    if len(unknown.args) > 1:
        return unknown
    place = f"{Path(frame.function.__code__.co_filename).name}:{node.lineno}"
    return Unsupported(f"{place}: {unknown}: {ast.unparse(node).splitlines()[0]}", place)


def _is_record(function: Value) -> bool:
    """Whether a call only makes a record."""
    return isinstance(function, type) and (is_dataclass(function) or hasattr(function, "_fields"))


def _known(keys: tuple[Value, ...]) -> tuple[Value, ...]:
    """Keys of a set or dictionary, which must be known."""
    if values.is_symbolic(keys):
        raise Unsupported("a set or dictionary with an unknown key")
    return keys


def _yielded(loop: ast.For) -> tuple[ast.expr, list[ast.comprehension]]:
    """A loop that only yields, perhaps under a condition, as a comprehension."""
    body, tests = loop.body, []
    match body:
        case [ast.If(test=test, body=inner, orelse=[])]:
            body, tests = inner, [test]
        case _:
            pass
    match body:
        case [ast.Expr(value=ast.Yield(value=ast.expr() as item))] if not loop.orelse:
            return item, [ast.comprehension(loop.target, loop.iter, tests, 0)]
        case _:
            raise Unsupported("a loop of this kind")


def _bound(target: ast.expr, value: Value) -> dict[str, Value]:
    """The local names that an assignment makes."""
    if isinstance(target, ast.Name):
        return {target.id: value}
    if isinstance(target, ast.Tuple) and isinstance(value, tuple):
        pairs = zip(target.elts, value, strict=True)
        return {name: item for pair in pairs for name, item in _bound(*pair).items()}
    raise Unsupported("an assignment of this kind")


def _named(name: str, frame: Frame) -> Value:
    """What a name stands for: a local one, one of the enclosing function, a global, a builtin."""
    if name in frame.names:
        return frame.names[name]
    function = frame.function
    if name in function.__code__.co_freevars:
        cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
        return cells[name].cell_contents
    return function.__globals__.get(name, getattr(builtins, name, None))


@cache
def _tree(file: str) -> ast.Module:
    return ast.parse(Path(file).read_text(encoding="utf-8"))


@cache
def node_of(function: FunctionType) -> ast.FunctionDef | ast.Lambda:
    """The function in its source file."""
    code = function.__code__
    found = [
        node
        for node in ast.walk(_tree(code.co_filename))
        if isinstance(node, ast.FunctionDef | ast.Lambda)
        and node.lineno == code.co_firstlineno
        and getattr(node, "name", "<lambda>") == code.co_name
    ]
    if len(found) != 1:
        raise Unsupported(f"{len(found)} functions at line {code.co_firstlineno}")
    return found[0]


def _compare(operator: ast.cmpop, left: Value, right: Value) -> Truth:
    match operator:
        case ast.Is() | ast.IsNot():
            if left is not None and right is not None and values.is_symbolic((left, right)):
                raise Unsupported("whether two terms are the same object")
            return (left is right) is isinstance(operator, ast.Is)
        case ast.In() if not values.is_symbolic((left, right)):
            return left in right
        case ast.In() if isinstance(right, tuple | list | set | frozenset | dict):
            return values.either(*(values.equal(left, item) for item in right))
        case ast.NotIn():
            return values.opposite(_compare(ast.In(), left, right))
        case ast.Eq():
            return values.equal(left, right)
        case ast.NotEq():
            return values.opposite(values.equal(left, right))
        case ast.Lt():
            return values.less(left, right)
        case ast.Gt():
            return values.less(right, left)
        case ast.LtE():
            return values.opposite(values.less(right, left))
        case ast.GtE():
            return values.opposite(values.less(left, right))
        case _:
            raise Unsupported(f"the comparison {type(operator).__name__}")


def _extreme(is_better: Callable[[Value, Value], Truth], *numbers: Value) -> Value:
    if len(numbers) < 2:
        raise Unsupported("the least or greatest of a sequence")
    return reduce(lambda best, one: values.choose(is_better(one, best), one, best), numbers)


def _tuple(source: Value) -> Value:
    if not isinstance(source, Items):
        return tuple(source)
    guard = source.guard
    return Items(
        0,
        source.stop - source.start,
        lambda index: source.at(source.start + index),
        guard and (lambda index: guard(source.start + index)),
    )


def _first(items: Value, default: Value) -> Value:
    if not isinstance(items, tuple):
        raise Unsupported("the first of a sequence of unknown length")
    return items[0] if items else default


def _range(*ends: Value) -> Value:
    start, stop = ends if len(ends) == 2 else (0, *ends)
    return Items(values.integer(start), values.integer(stop), lambda index: index)


_BUILTINS: dict[Any, Callable[..., Value]] = {
    min: lambda *numbers: _extreme(values.less, *numbers),
    max: lambda *numbers: _extreme(lambda one, best: values.less(best, one), *numbers),
    abs: lambda number: values.choose(values.less(number, 0), -number, number),
    all: lambda items: values.both(*map(values.truth, items)),
    any: lambda items: values.either(*map(values.truth, items)),
    len: lambda items: items.length if isinstance(items, Items) else len(items),
    iter: lambda items: items,
    next: lambda items, default: _first(items, default),
    tuple: lambda items: _tuple(items),
    list: lambda items: _tuple(items),
    range: lambda *ends: _range(*ends),
}
"""What the lifter knows of Python's own functions when an argument is a term."""

_ARITHMETIC: dict[type[ast.operator], Callable[[Value, Value], Value]] = {
    ast.Add: lambda left, right: left + right,
    ast.Sub: lambda left, right: left - right,
    ast.Mult: lambda left, right: left * right,
    ast.FloorDiv: values.floor_division,
    ast.Mod: values.modulo,
}
