"""YAML as plain values with the line of each: names are text, and every part is written out where it stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import yaml

# libyaml's parser is seven times as fast; PyYAML is sometimes built without it.
Loader: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

# Deeper than anything that a bank holds, and far from where Python gives up.
DEEPEST = 20


class DocumentError(Exception):
    """What the text is wrong in, so that none of it can be read, and on which line."""

    def __init__(self, line: int, wrong: str) -> None:
        self.line = line
        self.wrong = wrong
        super().__init__(wrong)


@dataclass
class Document:
    """One YAML document. `lines` holds the line of each name and item by its way from the root, `twice` each name that
    its mapping had already."""

    text: str
    first_line: int = 1
    lines: dict[tuple[str | int, ...], int] = field(default_factory=dict)
    twice: list[tuple[int, str]] = field(default_factory=list)

    def read(self) -> Any:
        """Its value; None where it is empty. Raises DocumentError."""
        loader = Loader(self.text)
        try:
            node = loader.get_single_node()
            return None if node is None else self._value(loader, node, (), set())
        except yaml.MarkedYAMLError as error:
            raise DocumentError(self._line(_place(error)), error.problem or str(error)) from error
        except (yaml.YAMLError, RecursionError) as error:
            raise DocumentError(self.first_line, " ".join(str(error).split())) from error
        finally:
            loader.dispose()

    def _line(self, mark: yaml.Mark | None) -> int:
        return self.first_line + (mark.line if mark else 0)

    def _value(
        self, loader: yaml.SafeLoader, node: yaml.Node, way: tuple[str | int, ...], known: set[yaml.Node]
    ) -> Any:
        if node in known:
            raise DocumentError(self.lines.get(way, self.lines[way[:-1]]), "a part is used again by an alias")
        line = self.lines.setdefault(way, self._line(node.start_mark))
        if isinstance(node, yaml.ScalarNode):
            try:
                return loader.construct_object(node)
            except Exception as error:  # They raise whatever they stumble on: KeyError, IndexError, ValueError, ...
                raise DocumentError(line, f"`{node.value}` is no value of its type") from error
        if len(way) > DEEPEST:
            raise DocumentError(line, "it is nested too deep")
        known.add(node)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(loader, item, (*way, i), known) for i, item in enumerate(node.value)]
        found: dict[str, Any] = {}
        for key, value in node.value:
            line = self._line(key.start_mark)
            if not isinstance(key, yaml.ScalarNode):
                raise DocumentError(line, "a name is a list or a mapping")
            name = str(key.value)
            if name in found:
                self.twice.append((line, name))
                continue
            self.lines[*way, name] = line
            found[name] = self._value(loader, value, (*way, name), known)
        return found


def _place(error: yaml.MarkedYAMLError) -> yaml.Mark | None:
    """Where to look: what was left open stands where it was opened, anything else where it was met."""
    left_open = ("while scanning a quoted scalar", "while scanning a simple key", "while parsing a flow")
    opened = (error.context or "").startswith(left_open)
    return error.context_mark if opened and error.context_mark else error.problem_mark
