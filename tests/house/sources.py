"""The repository's sources as the tests of the house read them."""

import ast
import io
import subprocess
import tokenize
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[2]

PACKAGES = {
    "allotment_model": ROOT / "model" / "allotment_model",
    "allotment_impl": ROOT / "impl" / "allotment_impl",
    "allotment_conformance": ROOT / "conformance" / "allotment_conformance",
    "allotment_proofs": ROOT / "proofs" / "allotment_proofs",
}

Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
Function = ast.FunctionDef | ast.AsyncFunctionDef


def python_files(folder: Path) -> list[Path]:
    """Every Python source below the folder, in a fixed order."""
    return sorted(folder.rglob("*.py"))


def repository_files() -> list[Path]:
    """Every file that git tracks or would track with the next `git add`."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        check=True,
    )
    names = sorted(set(listed.stdout.decode().split("\0")) - {""})
    return [ROOT / name for name in names if (ROOT / name).is_file()]


def text_of(path: Path) -> str | None:
    """The file's text; None if it is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None


def docstring_node(node: Documented) -> ast.Constant | None:
    """The constant that is the item's docstring."""
    match node.body:
        case [ast.Expr(value=ast.Constant(value=str()) as constant), *_]:
            return constant
        case _:
            return None


def documented_items(tree: ast.Module) -> Iterator[Documented]:
    """The module and every class and function in it, however deep."""
    for node in ast.walk(tree):
        if isinstance(node, Documented):
            yield node


def lines_spanned(node: ast.Constant | None) -> range:
    """The line numbers that a node covers; none for no node."""
    if node is None:
        return range(0)
    assert node.end_lineno is not None, "parsed nodes know where they end"
    return range(node.lineno, node.end_lineno + 1)


def code_lines(source: str) -> int:
    """How many lines hold code: blank lines, comments and docstrings apart."""
    silent = {
        tokenize.COMMENT,
        tokenize.DEDENT,
        tokenize.ENDMARKER,
        tokenize.INDENT,
        tokenize.NEWLINE,
        tokenize.NL,
    }
    speaking: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type not in silent:
            speaking.update(range(token.start[0], token.end[0] + 1))
    for item in documented_items(ast.parse(source)):
        speaking.difference_update(lines_spanned(docstring_node(item)))
    return len(speaking)


def import_lines(source: str) -> int:
    """How many lines only import."""
    imports = (
        node
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Import | ast.ImportFrom)
    )
    return sum(len(range(node.lineno, (node.end_lineno or node.lineno) + 1)) for node in imports)


def model_code_lines() -> dict[str, int]:
    """Code lines of each part of the model, imports apart.

    `spec` is what a step runs; `oracle` the questions that can be asked of it; `variants` the
    wrong rules. The table of clauses is data and belongs to none.
    """
    package = PACKAGES["allotment_model"]
    parts = dict.fromkeys(("spec", "oracle", "variants"), 0)
    for path in python_files(package):
        folder = path.relative_to(package).parts[0]
        of = folder if folder in parts else "spec"
        source = path.read_text(encoding="utf-8")
        if path.name != "clauses.py":
            parts[of] += code_lines(source) - import_lines(source)
    return parts
