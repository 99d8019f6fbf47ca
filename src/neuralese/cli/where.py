"""Conditions on the rows of a table, like "criterion == 'belief' and rank == 1", as masks of pyarrow."""

import ast

import pyarrow as pa
import pyarrow.compute as pc

from neuralese.cli.output import plain
from neuralese.storage.errors import NeuraleseError

LONGEST = 2000  # characters of a condition
COMPARE = {
    ast.Eq: pc.equal,
    ast.NotEq: pc.not_equal,
    ast.Lt: pc.less,
    ast.LtE: pc.less_equal,
    ast.Gt: pc.greater,
    ast.GtE: pc.greater_equal,
}
GRAMMAR = "write it like \"criterion == 'belief' and rank <= 2\", with and, or, not, in and comparisons of columns"


class Where:
    """A condition on rows."""

    def __init__(self, text: str, schema: pa.Schema) -> None:
        self.shown = plain(text if len(text) <= LONGEST else text[:LONGEST] + "…")
        try:
            self.tree = ast.parse(text.strip() if len(text) <= LONGEST else "(", mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            why = f"it is longer than {LONGEST:,} characters" if len(text) > LONGEST else getattr(error, "msg", error)
            raise NeuraleseError(f'the condition "{self.shown}" cannot be read ({why}); {GRAMMAR}.') from None
        names = [node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)]
        self.columns = list(dict.fromkeys(names))
        if unknown := [name for name in names if name not in schema.names]:
            raise NeuraleseError(plain(f"there is no column '{unknown[0]}'; choose from {', '.join(schema.names)}."))
        if not isinstance(self.tree, ast.BoolOp | ast.Compare | ast.UnaryOp | ast.Name):
            raise NeuraleseError(f'the condition "{self.shown}" is neither true nor false for a row; {GRAMMAR}.')

    def filter(self, table: pa.Table) -> pa.Table:
        """The rows for which it holds."""
        try:
            return table.filter(self._value(self.tree, table))
        except (pa.ArrowException, TypeError, ValueError, OverflowError, RecursionError, AttributeError) as error:
            reason = plain((str(error).splitlines() or [type(error).__name__])[0].rstrip("."))
            raise NeuraleseError(f'the condition "{self.shown}" does not fit the columns ({reason}).') from None

    def _value(self, node: ast.expr, table: pa.Table) -> object:
        match node:
            case ast.Name():
                return table[node.id]
            case ast.Constant():
                return node.value
            case ast.List() | ast.Tuple():
                return [self._value(each, table) for each in node.elts]
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
                return -value
            case ast.UnaryOp(op=ast.Not()):
                return pc.invert(self._value(node.operand, table))
            case ast.BoolOp():
                join = pc.and_kleene if isinstance(node.op, ast.And) else pc.or_kleene
                mask, *more = (self._value(each, table) for each in node.values)
                for each in more:
                    mask = join(mask, each)
                return mask
            case ast.Compare():
                return self._compare(node, table)
        raise NeuraleseError(f'"{plain(ast.unparse(node))[:100]}" is not allowed in a condition; {GRAMMAR}.')

    def _compare(self, node: ast.Compare, table: pa.Table) -> object:
        values = [self._value(each, table) for each in (node.left, *node.comparators)]
        masks = [self._pair(op, *pair) for op, *pair in zip(node.ops, values, values[1:], strict=False)]
        whole = masks[0]
        for mask in masks[1:]:
            whole = pc.and_kleene(whole, mask)
        return whole

    def _pair(self, op: ast.cmpop, left: object, right: object) -> object:
        if isinstance(op, ast.In | ast.NotIn):
            if isinstance(right, list):
                mask = pc.is_in(left, value_set=pa.array(right))
            else:  # 'blue' in source
                mask = pc.match_substring(right, left)
            return mask if isinstance(op, ast.In) else pc.invert(mask)
        if type(op) not in COMPARE:
            raise NeuraleseError(f'the condition "{self.shown}" cannot be read; {GRAMMAR}.')
        return COMPARE[type(op)](left, right)
