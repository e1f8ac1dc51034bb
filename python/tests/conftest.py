"""Shared fixtures: the made-up survey, and a table with a column of every kind."""

from __future__ import annotations

import datetime as dt
import random
from typing import Any

import pytest

import scumble


@pytest.fixture(scope="session")
def people() -> tuple[scumble.Table, scumble.Schema]:
    return scumble.demo(rows=5_000, seed=3)


@pytest.fixture(scope="session")
def fitted(people: tuple[scumble.Table, scumble.Schema]) -> scumble.MST:
    return scumble.MST(1.0, 1e-9).fit(*people)


@pytest.fixture
def every_kind() -> tuple[dict[str, list[Any]], scumble.Schema]:
    """Returns columns of every type, with missing values where the schema allows them."""
    draw = random.Random(5)
    rows = 800
    zone = dt.timezone.utc

    def gappy(value: Any) -> Any:
        return None if draw.random() < 0.1 else value

    columns = {
        "region": [draw.choice(["north", "south", "east"]) for _ in range(rows)],
        "colour": [gappy(draw.choice(["red", "green"])) for _ in range(rows)],
        "age": [draw.randrange(0, 100) for _ in range(rows)],
        "children": [gappy(draw.randrange(0, 5)) for _ in range(rows)],
        "income": [gappy(round(draw.uniform(0, 1000), 2)) for _ in range(rows)],
        "member": [draw.random() < 0.3 for _ in range(rows)],
        "smoker": [gappy(draw.random() < 0.5) for _ in range(rows)],
        "born": [dt.date(1980, 1, 1) + dt.timedelta(days=draw.randrange(3000)) for _ in range(rows)],
        "seen": [dt.datetime(2024, 1, 1) + dt.timedelta(minutes=draw.randrange(500_000)) for _ in range(rows)],
        "called": [dt.datetime(2024, 1, 1, tzinfo=zone) + dt.timedelta(minutes=draw.randrange(500_000)) for _ in range(rows)],
        "woke": [gappy(dt.time(5 + draw.randrange(5), draw.randrange(60))) for _ in range(rows)],
    }
    schema = scumble.Schema(
        {
            "fields": [
                {"name": "region", "type": "string", "constraints": {"enum": ["north", "south", "east", "west"], "required": True}},
                {"name": "colour", "type": "string", "constraints": {"enum": ["red", "green", "blue"]}},
                {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 119, "required": True}, "dp": {"bins": {"width": 10}}},
                {"name": "children", "type": "integer", "constraints": {"minimum": 0, "maximum": 9}},
                {"name": "income", "type": "number", "constraints": {"minimum": 0, "maximum": 1000}, "dp": {"bins": {"count": 8}}},
                {"name": "member", "type": "boolean", "constraints": {"required": True}},
                {"name": "smoker", "type": "boolean"},
                {"name": "born", "type": "date", "constraints": {"minimum": "1980-01-01", "maximum": "1989-12-31", "required": True}, "dp": {"bins": {"by": "year"}}},
                {
                    "name": "seen",
                    "type": "datetime",
                    "constraints": {"minimum": "2024-01-01T00:00:00", "maximum": "2024-12-31T23:59:59", "required": True},
                    "dp": {"bins": {"by": "month"}},
                },
                {
                    "name": "called",
                    "type": "datetime",
                    "constraints": {"minimum": "2024-01-01T00:00:00", "maximum": "2024-12-31T23:59:59", "required": True},
                    "dp": {"bins": {"by": "month"}, "timeZone": "Europe/Berlin"},
                },
                {"name": "woke", "type": "time", "dp": {"bins": {"by": "hour"}}},
            ]
        }
    )
    return columns, schema.check()
