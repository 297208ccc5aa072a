"""Forms in which Python tells a symbol from a number, or hides that a symbol refused something.

A symbol is not asked there, so it cannot refuse them. What would be run is looked through before
anything is proved, and refused if it has a form, an import, a name or a comparison by identity that
is not known to ask: so another form is refused as well, whatever it does.
"""

import ast
import builtins
import re
from collections.abc import Iterator, Set
from functools import cache
from pathlib import Path

import allotment_model
from allotment_proofs.trusted.symbols import Unsupported

FORMS = re.compile(
    "Module|FunctionDef|ClassDef|ImportFrom|alias|arguments|arg|keyword|Expr|Return|Raise|Yield|"
    "YieldFrom|Assign|AnnAssign|AugAssign|For|While|Break|Continue|Pass|If|Try|ExceptHandler|Match|"
    "match_case|Match(As|Class|Or|Sequence|Value)|BoolOp|And|Or|BinOp|Add|Sub|Mult|Div|FloorDiv|"
    "Mod|Pow|LShift|RShift|Bit(And|Or|Xor)|UnaryOp|Not|USub|UAdd|Invert|Compare|Eq|NotEq|Lt|LtE|Gt|"
    "GtE|Is|IsNot|In|NotIn|IfExp|Lambda|Call|Attribute|Subscript|Slice|Starred|Name|Load|Store|"
    "Constant|JoinedStr|FormattedValue|Dict|List|Set|Tuple|comprehension|DictComp|ListComp|SetComp|"
    "GeneratorExp"
)
"""Kinds of nodes. Each asks the symbols in it, or what asks none is told apart below."""

IMPORTED = re.compile(
    r"allotment_model\.(?!oracle\b).+|dataclasses\.(replace|dataclass)|itertools\.(chain|islice)|"
    r"collections\.abc\.(Generator|Mapping|Callable|Iterable|Iterator)|enum\.StrEnum|"
    r"operator\.(mul|ne|add|gt|sub|ge|eq|truediv|lt|le)|fractions\.Fraction|"
    r"typing\.(NamedTuple|TypeVar|assert_never|TYPE_CHECKING)"
)
"""What is imported: the specification's own, which is looked through, or what asks its symbols."""

OF_OBJECTS = {"type", "hasattr", "getattr", "setattr", "vars", "dir", "id", "callable"}
TELLING = OF_OBJECTS | {"issubclass", "locals", "globals", "eval", "exec", "__import__"}
TELLING |= {"object", "format", "format_map"}
"""What of Python answers about a symbol as an object."""

NO_SYMBOL = re.compile(
    r".* is (None|(Category|Scope|Per)\.\w+)|limit\.kind is kind|entry\.per is per"
)
"""What the specification compares by `is`: with None, members of enums, fields that hold such."""

CAUGHT = {"StopIteration", "LeftOutError", "SearchError"}
"""The exceptions that it catches: no symbol raises one of them."""

HOMES = {"LeftOutError": "select.py", "SearchError": "search.py", "Category": "answers.py"}
HOMES |= {"Scope": "cluster.py", "Per": "request.py", "StopIteration": ""}
"""Where the names that are trusted above are bound, and nowhere else."""


METHODS = "append extend fromkeys get isdisjoint items keys pop setdefault sort update value values"
"""Of containers, and of the end of a narration; all others are what the specification binds."""

HIDDEN = re.compile(r"_.*|(gi|f|co|tb)_.*|mro|term|real|imag|numerator|denominator")
"""Attributes through which a symbol, a frame or a class would answer as an object: nobody's own."""


@cache
def check_sources() -> None:
    """Raise Unsupported if such a form stands in the specification, or in its invariants."""
    for name, source in _sources().items():
        check(source, name)


@cache
def _sources() -> dict[str, ast.Module]:
    """What is looked through, by file."""
    root = Path(allotment_model.__file__).parent
    read = [path for path in sorted(root.rglob("*.py")) if path.parent.name != "oracle"]
    files = [*read, root / "oracle" / "invariants.py"]
    return {str(path.relative_to(root)): _parsed(path) for path in files}


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _bound() -> tuple[Set[str], Set[str]]:
    """The classes of the specification, and all that its modules and classes bind."""
    nodes = [node for source in _sources().values() for node in ast.walk(source)]
    homes = [node for node in nodes if isinstance(node, ast.Module | ast.ClassDef)]
    parts = [part for home in homes for part in home.body]
    named = {part.name for part in parts if isinstance(part, ast.FunctionDef | ast.ClassDef)}
    targets: list[ast.expr] = [part.target for part in parts if isinstance(part, ast.AnnAssign)]
    targets += [one for part in parts if isinstance(part, ast.Assign) for one in part.targets]
    named |= {one.id for one in targets if isinstance(one, ast.Name)}
    named = {*METHODS.split(), *(name for name in named if not HIDDEN.fullmatch(name))}
    return {part.name for part in parts if isinstance(part, ast.ClassDef)}, named


def check(source: ast.AST, file: str) -> None:
    """The same, of a part of a source in that file."""
    nodes = list(ast.walk(source))
    variables = {*vars(builtins), *(node.arg for node in nodes if isinstance(node, ast.arg))}
    names = (node for node in nodes if isinstance(node, ast.Name))
    variables |= {name.id for name in names if isinstance(name.ctx, ast.Store)}
    of_types = {id(part) for node in nodes for part in _annotation(node)}
    for node in nodes:
        if id(node) not in of_types and (told := next(_told(node, file, variables), "")):
            raise Unsupported(f"{file}:{getattr(node, 'lineno', 0)}: {told}")


def _annotation(node: ast.AST) -> Iterator[ast.AST]:
    """What is written of a type, which nothing asks."""
    for name in ("annotation", "returns"):
        if part := getattr(node, name, None):
            yield from ast.walk(part)


def _told(node: ast.AST, file: str, variables: Set[str]) -> Iterator[str]:
    """What is wrong with the form of a node, if anything is."""
    if not FORMS.fullmatch(type(node).__name__):
        yield f"{type(node).__name__} is no form that is known to ask a symbol"
    classes, bound = _bound()
    match node:
        case ast.FunctionDef(name=name) if name.startswith("__"):
            yield f"{name} is called by what does not name it"
        case ast.Name(id=name, ctx=ast.Load()) | ast.Attribute(attr=name, ctx=ast.Load()):
            if name in TELLING or name.startswith("__"):
                yield f"{name} does not ask a symbol"
            if isinstance(node, ast.Attribute) and name not in bound:
                yield f"{name} is no attribute that is known to ask a symbol"
        case ast.Name(id=name) | ast.Attribute(attr=name) if name in HOMES:
            yield f"{name} is bound anew"
        case ast.arg(arg=name) | ast.MatchAs(name=name) if name in HOMES:
            yield f"{name} is bound anew"
        case ast.ClassDef(name=name) | ast.FunctionDef(name=name) if HOMES.get(name, file) != file:
            yield f"{name} is bound anew"
        case ast.MatchClass(cls=ast.Name(id=name), kwd_attrs=read) if name in classes - variables:
            yield from (f"{one} does not ask a symbol" for one in read if one not in bound)
        case ast.MatchClass(cls=of):
            yield f"the pattern {ast.unparse(of)} may ask a symbol for what a number has"
        case ast.ImportFrom(module=module, names=imported):
            for thing in imported:
                if thing.asname or not IMPORTED.fullmatch(f"{module}.{thing.name}"):
                    yield f"{thing.asname or thing.name} is not known to ask a symbol"
        case ast.Try(finalbody=[_, *_]):
            yield "`finally` may hide what a symbol refuses"
        case ast.Compare(left=left, ops=operators, comparators=rights):
            for operator, before, right in zip(operators, [left, *rights], rights, strict=False):
                text = f"{ast.unparse(before)} is {ast.unparse(right)}"
                if isinstance(operator, ast.Is | ast.IsNot) and not NO_SYMBOL.fullmatch(text):
                    yield f"`is {ast.unparse(right)}` does not ask a symbol"
        case ast.ExceptHandler(type=caught):
            names = ast.unparse(caught).strip("()") if caught else ""
            for one in {*names.split(", ")} - CAUGHT:
                yield f"`except {one}` would hide what a symbol refuses"
        case _:
            pass
