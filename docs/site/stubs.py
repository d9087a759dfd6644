"""Signatures of compiled classes and functions, from the .pyi files beside them, since Cython keeps no types."""

import ast
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]


@cache
def signatures(module: str) -> dict[str, tuple[str, str]]:
    """Of each function, method and class of a module's stub its parameters, without self, and what it returns."""
    path = ROOT.joinpath(*module.split(".")).with_suffix(".pyi")
    found: dict[str, tuple[str, str]] = {}
    if path.exists():
        _collect(ast.parse(path.read_text()), "", found)
    return found


def _collect(tree: Any, prefix: str, found: dict[str, tuple[str, str]]) -> None:
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            _collect(node, f"{prefix}{node.name}.", found)
            found[f"{prefix}{node.name}"] = found.get(f"{prefix}{node.name}.__init__", ("()", ""))
        elif isinstance(node, ast.FunctionDef):
            marks = {mark.id for mark in node.decorator_list if isinstance(mark, ast.Name)}
            if "property" in marks:
                continue
            if prefix and "staticmethod" not in marks:
                (node.args.posonlyargs or node.args.args).pop(0)
            returns = ast.unparse(node.returns) if node.returns else ""
            found[prefix + node.name] = f"({ast.unparse(node.args)})", returns


def setup(app: Any) -> dict[str, bool]:
    """Register with Sphinx."""

    def process(_app: Any, what: str, name: str, obj: Any, *_: object) -> Any:
        module = getattr(obj, "__module__", None)
        if not isinstance(module, str) and getattr(obj, "__objclass__", None):
            module = obj.__objclass__.__module__
        if not isinstance(module, str):
            return None
        own = getattr(obj, "__qualname__", name.removeprefix(f"{module}."))
        parameters, returns = signatures(module).get(own, (None, None))
        if parameters is None:
            return None
        return parameters, None if what == "class" else returns

    app.connect("autodoc-process-signature", process)
    return {"parallel_read_safe": True}
