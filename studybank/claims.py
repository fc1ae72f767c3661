"""The syntax of a claim: one comparison of expressions over numbers, names, and calls of formulas."""

from __future__ import annotations

import ast
from itertools import pairwise

# Whatever loops, branches, formats or calls a method is a program.
PARTS = (
    *(ast.Compare, ast.cmpop, ast.BinOp, ast.operator, ast.UnaryOp, ast.unaryop, ast.Call, ast.keyword),
    *(ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Constant, ast.List, ast.Tuple, ast.expr_context),
)


class ClaimError(Exception):
    """A claim that can't be decided: what is wrong with it, and what would be right."""

    def __init__(self, wrong: str, right: str) -> None:
        super().__init__(wrong)
        self.wrong, self.right = wrong, right


def comparison(expression: str) -> ast.Compare:
    """The syntax tree of a claim. Raises ClaimError where it is more or less than a comparison."""
    tree = parsed(expression)
    if not isinstance(tree, ast.Compare):
        raise ClaimError(f"`{expression}` compares nothing", "`left == right`")
    for part in ast.walk(tree):
        if not _belongs(part):
            wrong = f"`{ast.unparse(part)}` belongs to a program, not to a claim"
            raise ClaimError(wrong, "numbers, names, arithmetic on numbers, and calls of formulas")
    for left, right in pairwise([tree.left, *tree.comparators]):
        if ast.dump(left) == ast.dump(right):
            wrong = f"`{expression}` compares `{ast.unparse(left)}` with itself"
            raise ClaimError(wrong, "two things that could differ")
    return tree


def parsed(expression: str) -> ast.expr:
    """The syntax tree of an expression. Raises ClaimError."""
    try:
        return ast.parse(expression, mode="eval").body
    except (RecursionError, MemoryError):  # A parser out of stack calls it memory.
        raise too_deep(expression) from None
    except (SyntaxError, ValueError) as error:  # A null byte is no SyntaxError in 3.11.
        said = error.msg if isinstance(error, SyntaxError) else str(error)
        raise ClaimError(f"`{expression}` is no expression ({said})", "`left == right`") from None


def too_deep(expression: str) -> ClaimError:
    return ClaimError(f"`{expression[:40]}...` is nested too deeply", "a claim that a reader can follow")


def spoken_of(claim: ast.Compare) -> ast.expr:
    """The side whose value a reader wants to see: not the number that it is held against, and before it is rounded."""
    left = claim.left.operand if isinstance(claim.left, ast.UnaryOp) else claim.left
    side = claim.comparators[0] if isinstance(left, ast.Constant) else claim.left
    if isinstance(side, ast.Call) and ast.unparse(side.func) == "round" and side.args:
        return side.args[0]
    return side


def names(claim: ast.Compare) -> set[str]:
    return {part.id for part in ast.walk(claim) if isinstance(part, ast.Name)}


def _belongs(part: ast.AST) -> bool:
    if isinstance(part, ast.Call):
        return isinstance(part.func, ast.Name)
    if isinstance(part, ast.BinOp):
        sides = (side.value for side in (part.left, part.right) if isinstance(side, ast.Constant))
        return not any(isinstance(side, str) for side in sides)
    return isinstance(part, PARTS)
