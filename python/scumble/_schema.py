"""The public facts about a table: columns, types, bounds, categories, privacy terms."""

from __future__ import annotations

import copy
import difflib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from . import _frames, _html, _native, _output
from ._errors import SchemaError, UsageError
from ._json_result import JsonResult
from ._typing import Data, FormatName, PathLike

_CONSTRAINTS = {"minimum": "minimum", "maximum": "maximum", "required": "required", "categories": "enum"}
_TERMS = {
    "source": "source",
    "bins": "bins",
    "hierarchy": "hierarchy",
    "open": "open",
    "fold_into": "foldInto",
    "unknown_label": "unknownLabel",
    "generate": "generate",
    "keep": "keep",
    "time_zone": "timeZone",
    "preset": "preset",
    "step": "step",
    "decimals": "decimals",
}
_PROPERTIES = {
    "type": "type",
    "title": "title",
    "description": "description",
    "format": "format",
    "true_values": "trueValues",
    "false_values": "falseValues",
    "missing_values": "missingValues",
}
_PRIVACY = {
    "privacy_unit": "privacyUnit",
    "max_contributions": "maxContributions",
    "adjacency": "adjacency",
    "row_count": "rowCount",
    "rules": "rules",
}


_UNKNOWN_LABEL = "other"
"""Default label of unknown values of an open text column."""


class Column(NamedTuple):
    """The encoding of one column."""

    name: str
    type: str
    codes: int | None
    """Number of values that the model distinguishes; ``None`` for a generated column."""
    missing: str | None
    """The value that stands for missing values."""
    unknown: str | None
    """The value that stands for values that the schema does not list."""
    can_be_missing: bool
    assumed: bool
    """Whether its bounds or categories are not declared public."""
    read_off_data: bool
    """Whether its bounds or categories were read off the rows, so that the guarantee does not cover them."""
    generated: str | None
    """Generator of its values; ``None`` for a column that is modelled."""


class Schema:
    """The public facts about a table, as in `the schema file <../reference/schema.md>`_.

    A schema may be incomplete while you work on it. :meth:`check` lists what is missing, as do all
    functions that need a complete schema.

    >>> schema = Schema({"fields": [{"name": "age", "type": "integer"}]})
    >>> schema = schema.edit("age", minimum=0, maximum=119, bins={"width": 10}, source="public")
    >>> schema.check().columns[0].codes
    13
    """

    def __init__(self, spec: Mapping[str, Any] | str) -> None:
        """Creates a schema from a mapping, or from YAML or JSON text."""
        text = spec if isinstance(spec, str) else json.dumps(spec, default=str)
        self._spec: dict[str, Any] = json.loads(_native.parse_spec(text))
        self._checked: _native.Schema | None = None

    @classmethod
    def load(cls, path: PathLike) -> Schema:
        """Reads a schema file, and the hierarchy files that it names."""
        return cls(_native.read_spec(path))

    @classmethod
    def draft(
        cls, data: Data, *, format: FormatName | None = None, dialect: Mapping[str, Any] | None = None
    ) -> Schema:
        """Drafts a schema from the names and types of columns. No value is read.

        ``data`` is a path or a table of pandas, polars, pyarrow, duckdb or any other library that
        supports Arrow's C interface. :meth:`check` lists what is left to declare: bounds and
        categories, from public knowledge. ``dialect`` says how a text file is written, as in the
        schema file, and becomes a part of the draft.
        """
        schema = cls(_native.draft(_frames.types_of(data), format, _frames.dialect_of(data, dialect)))
        return cls({**schema._spec, "dialect": dict(dialect)}) if dialect else schema

    def save(self, path: PathLike, *, force: bool = False) -> None:
        """Writes the schema file, as YAML. An existing file is replaced only with ``force``."""
        _output.write_text(path, self.to_yaml(), force=force)

    def to_dict(self) -> dict[str, Any]:
        """Returns the schema as written, as a dictionary."""
        return copy.deepcopy(self._spec)

    def to_yaml(self) -> str:
        """Returns the schema as written, as YAML."""
        return _native.spec_to_yaml(json.dumps(self._spec))

    def edit(self, columns: str | Iterable[str] | Mapping[str, Mapping[str, Any]], /, **properties: Any) -> Schema:
        """Returns a copy with changed properties of one or several columns; ``None`` removes a
        property.

        >>> schema = Schema({"fields": [{"name": name, "type": "integer"} for name in ("age", "rent", "savings")]})
        >>> schema = schema.edit("age", minimum=0, maximum=119)
        >>> schema = schema.edit(["rent", "savings"], minimum=0, bins={"count": 16}, source="public")
        >>> schema = schema.edit({"rent": {"maximum": 5_000}, "savings": {"maximum": 1_000_000}})
        >>> schema.problems()
        []

        ``columns`` is the name of a column, several names, which all get the same properties, or a
        mapping from names to properties. With a mapping, ``properties`` apply to all its columns,
        and the mapping takes precedence. Iterating over a schema gives its names:
        ``schema.edit([name for name in schema if name.startswith("q_")], ...)``.

        Properties are those of the schema file, without nesting and in snake case: ``type``,
        ``minimum``, ``maximum``, ``categories``,
        ``required``, ``bins``, ``source``, ``missing_values``, ``hierarchy``, ``open``, ``generate``, ``keep``, ``time_zone``, ``title``,
        ``description``, ``format``, ``true_values``, ``false_values``, ``fold_into``, ``unknown_label``.
        """
        if isinstance(columns, Mapping):
            each = {column: {**properties, **own} for column, own in columns.items()}
        else:
            each = {column: properties for column in ([columns] if isinstance(columns, str) else columns)}
        self._check_known(each)
        spec = self.to_dict()
        for field in spec["fields"]:
            for name, value in each.get(field["name"], {}).items():
                _set(field, name, value)
        return Schema(spec)

    def _check_known(self, columns: Iterable[str]) -> None:
        names = self._names()
        problems = [
            (f"there is no column `{column}` in the schema", _meant(column, names)) for column in columns if column not in names
        ]
        if problems:
            raise UsageError(problems)

    def add(self, column: str, type: str, **properties: Any) -> Schema:
        """Returns a copy with one more column; properties are as for :meth:`edit`."""
        if column in self._names():
            raise UsageError(f"there is a column `{column}` in the schema already", hint="change it with `edit`")
        spec = self.to_dict()
        spec["fields"].append({"name": column, "type": type})
        return Schema(spec).edit(column, **properties)

    def drop(self, *columns: str) -> Schema:
        """Returns a copy without these columns, and without the rules about them."""
        self._check_known(columns)
        spec = self.to_dict()
        spec["fields"] = [field for field in spec["fields"] if field["name"] not in columns]
        rules = [rule for rule in spec.get("dp", {}).get("rules", []) if not _columns_of(rule) & set(columns)]
        if "rules" in spec.get("dp", {}):
            _put(spec["dp"], "rules", rules or None)
        return Schema(spec)

    def privacy(self, **terms: Any) -> Schema:
        """Returns a copy with changed privacy terms: ``privacy_unit``, ``max_contributions``,
        ``adjacency``, ``row_count``, ``rules``; ``None`` removes a term."""
        spec = self.to_dict()
        for name, value in terms.items():
            if name not in _PRIVACY:
                raise UsageError(f"there is no privacy term `{name}`", hint=f"there are {', '.join(_PRIVACY)}")
            _put(spec.setdefault("dp", {}), _PRIVACY[name], value)
        return Schema(spec)

    def check(self) -> Schema:
        """Raises :class:`SchemaError` with all problems of the schema; returns the schema if there
        are none."""
        self._native()
        return self

    def problems(self) -> list[str]:
        """Returns all problems of the schema, one sentence each."""
        try:
            self._native()
        except SchemaError as error:
            return [message for message, _ in error.problems]
        return []

    def coverage(self, data: Data) -> Coverage:
        """Returns which values of a table the schema covers, by column and rule. NOT private: for
        the steward of the table."""
        values, text = _native.coverage(_frames.Source(data).native, self._native())
        return Coverage(json.loads(values), text)

    @property
    def columns(self) -> list[Column]:
        """The encoding of each column."""
        return [Column(**column) for column in json.loads(self._native().columns())]

    @property
    def assumed(self) -> list[str]:
        """Columns with bounds or categories that are not declared public: mark them
        ``source="public"`` once that is certain."""
        return self._native().assumed()

    @property
    def assumptions(self) -> list[str]:
        """Assumptions of a guarantee for this schema that the program cannot enforce, named as in
        :attr:`Certificate.assumptions`."""
        return [str(assumption) for assumption in json.loads(self._native().assumptions())]

    def categories(self, column: str) -> list[str] | None:
        """Returns all values that a text column can have in a synthetic table; ``None`` for columns
        of other types."""
        field = next((field for field in self._spec["fields"] if field["name"] == column), None)
        listed = field and field.get("constraints", {}).get("enum")
        if not field or field.get("type", "string") != "string" or not listed:
            return None
        terms = field.get("dp", {})
        others = [terms.get("unknownLabel", _UNKNOWN_LABEL)] if terms.get("open") else []
        return [str(value) for value in listed] + [other for other in others if other not in listed]

    def _native(self) -> _native.Schema:
        if self._checked is None:
            self._checked = _native.Schema(json.dumps(self._spec))
        return self._checked

    def _names(self) -> list[str]:
        return [field["name"] for field in self._spec["fields"]]

    def __len__(self) -> int:
        return len(self._spec["fields"])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names())

    def __contains__(self, column: object) -> bool:
        return column in self._names()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Schema) and self._spec == other._spec

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[object, ...]:
        return (Schema, (self._spec,))

    def __repr__(self) -> str:
        columns = ", ".join(f"{field['name']}: {field['type']}" for field in self._spec["fields"])
        problems = self.problems()
        state = "" if not problems else f", {len(problems)} problems"
        return f"<scumble.Schema of {len(self)} columns{state}: {columns}>"

    def _repr_html_(self) -> str:
        problems = self.problems()
        if problems:
            named = [(field["name"], field.get("type", field.get("dp", {}).get("preset", ""))) for field in self._spec["fields"]]
            left = "".join(f"<li>{_html.text(problem)}</li>" for problem in problems)
            return _html.titled(
                "Schema, not complete", _html.table(("column", "type"), named), f"<p>Left to say:</p><ul>{left}</ul>"
            )
        head = ("column", "type", "codes", "missing values become", "unknown values become", "vouched for")
        body = [
            (
                column.name,
                column.type,
                ("computed" if (column.generated or "").startswith("computed: ") else "made up") if column.codes is None else f"{column.codes:,}",
                column.missing,
                column.unknown,
                column.generated or ("no: assumed" if column.assumed else "no: read off the data" if column.read_off_data else "yes"),
            )
            for column in self.columns
        ]
        terms = self._spec.get("dp", {})
        unit = terms.get("privacyUnit", "row")
        most, adjacency = terms.get("maxContributions", 1), terms.get("adjacency", "add-remove")
        rows = "row" if most == 1 else "rows"
        words = f"<p>unit: {_html.text(unit)}, of at most {most} {rows}; neighbours: {_html.text(adjacency)}</p>"
        return _html.titled("Schema", _html.table(head, body), words)


class Coverage(JsonResult):
    """Which values of a table a schema covers: shares per column and per rule. NOT private: for the
    steward of the table."""

    def _repr_html_(self) -> str:
        return _html.banner(self._values["stamp"]) + _html.preformatted(self._text)


def checked(schema: Schema | PathLike) -> _native.Schema:
    """Returns the native schema, read from a file if needed. Raises :class:`SchemaError` if it has
    problems."""
    return (schema if isinstance(schema, Schema) else Schema.load(schema))._native()


def _columns_of(rule: dict[str, Any]) -> set[str]:
    """Returns the columns that a rule of the file names."""
    names = {*rule.get("forbid", {}), *rule.get("unless", {}), *rule.get("order", [])}
    for column, other in rule.get("determines", {}).items():
        names |= {column, other}
    return names | {rule[name] for name in ("skip", "years", "since", "until") if name in rule}


def _set(field: dict[str, Any], name: str, value: Any) -> None:
    """Sets a property of a column, in its block of the file."""
    if name in _CONSTRAINTS:
        _put(field.setdefault("constraints", {}), _CONSTRAINTS[name], value)
    elif name in _TERMS:
        _put(field.setdefault("dp", {}), _TERMS[name], value)
    elif name in _PROPERTIES:
        _put(field, _PROPERTIES[name], value)
    else:
        known = [*_CONSTRAINTS, *_TERMS, *_PROPERTIES]
        raise UsageError(f"a column has no property `{name}`", hint=_meant(name, known))


def _meant(name: str, known: Sequence[str]) -> str:
    """Returns a hint for an unknown name: the closest known name, ignoring case, or all of them."""
    lower = {one.lower(): one for one in known}
    near = difflib.get_close_matches(str(name).lower(), lower, n=1, cutoff=0.75)
    return f"did you mean `{lower[near[0]]}`?" if near else f"it has {', '.join(known)}"


def _put(block: dict[str, Any], name: str, value: Any) -> None:
    if value is None:
        block.pop(name, None)
    else:
        block[name] = value
