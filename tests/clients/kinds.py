"""The value of each kind in Python, for a driver without types of its own for it.

text, int, bigint (where a driver has a type of 64 bits), bool, null; json (a type that the driver sends as JSON), jsonb
(if the driver distinguishes the two); floats, ints, decimals, texts, uuids: lists; uuid; time, naive (without zone),
date."""
import datetime
import decimal
import json
import uuid

SIMPLE = {"text", "int", "bigint", "bool", "null", "floats", "ints", "texts"}


def value(kind, given):
    match kind:
        case "json" | "jsonb":
            return json.dumps(given)
        case "decimals":
            return [decimal.Decimal(number) for number in given]
        case "uuid":
            return uuid.UUID(given)
        case "uuids":
            return [uuid.UUID(one) for one in given]
        case "time":
            return datetime.datetime.fromisoformat(given).replace(tzinfo=datetime.UTC)
        case "naive":
            return datetime.datetime.fromisoformat(given)
        case "date":
            return datetime.date.fromisoformat(given)
    assert kind in SIMPLE, kind
    return given
