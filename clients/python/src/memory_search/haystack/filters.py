"""Converts Haystack's filters to the filters of memory_search."""

from datetime import UTC, datetime
from typing import Any

from haystack.errors import FilterError

LOGIC = {"AND": "$and", "OR": "$or"}
ORDER = {">": "$gt", ">=": "$gte", "<": "$lt", "<=": "$lte"}
LISTS = {"in": "$in", "not in": "$nin"}
OPERATORS = ["==", "!=", *ORDER, *LISTS]
# A condition that no entry meets.
NOTHING: dict[str, Any] = {"ids": []}


def filters_of(filters: dict[str, Any] | None) -> dict[str, Any]:
    """The condition for a tree of conditions; FilterError describes the fault of a filter."""
    if not filters:
        return {}
    if not isinstance(filters, dict):
        raise FilterError(f"filters must be a dict, not {filters!r}")
    if "field" in filters:
        return comparison_of(filters)
    for key in ("operator", "conditions"):
        if key not in filters:
            raise FilterError(f"a filter has the keys 'operator' and 'conditions', or a 'field': {filters!r}")
    conditions = [filters_of(one) for one in filters["conditions"]]
    if not all(conditions) or not conditions:
        raise FilterError(f"a list of conditions is empty, or one of them is: {filters!r}")
    if filters["operator"] == "NOT":
        # Haystack's NOT negates the conjunction of the conditions, not each of them.
        return {"$not": {"$and": conditions}}
    if filters["operator"] not in LOGIC:
        raise FilterError(f"the operator {filters['operator']!r} is none of AND, OR, NOT")
    return {LOGIC[filters["operator"]]: conditions}


def comparison_of(filters: dict[str, Any]) -> dict[str, Any]:
    """One field's condition."""
    for key in ("operator", "value"):
        if key not in filters:
            raise FilterError(f"a comparison has the keys 'field', 'operator' and 'value': {filters!r}")
    field, operator, value = str(filters["field"]), filters["operator"], filters["value"]
    if operator not in OPERATORS:
        raise FilterError(f"the operator {operator!r} is none of {', '.join(OPERATORS)}")
    if operator in ORDER and value is None:
        return NOTHING
    condition = condition_of(operator, value)
    if field == "id":
        if operator in ORDER:
            raise FilterError(f"ids have no order: {filters!r}")
        return {"entryKey": condition} if condition != {"$in": []} else NOTHING
    if field == "content":
        return content_of(operator, value)
    return metadata_of(field, operator, value, condition)


def condition_of(operator: str, value: Any) -> dict[str, Any]:
    """The condition for an operator and its value, which must have a type that the operator accepts."""
    if operator in LISTS:
        if not isinstance(value, list):
            raise FilterError(f"the operator {operator!r} takes a list, not {value!r}")
        return {LISTS[operator]: value}
    if isinstance(value, list | dict | tuple | set):
        raise FilterError(f"the operator {operator!r} takes one value, not {value!r}: ask for several by 'in'")
    if operator in ORDER:
        return {ORDER[operator]: bound_of(operator, value)}
    return {"$eq" if operator == "==" else "$ne": value}


def bound_of(operator: str, value: Any) -> Any:
    """A number, or a time: Haystack does not order texts."""
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value)
        except ValueError as error:
            raise FilterError(f"the operator {operator!r} takes a number or an ISO 8601 time, not {value!r}") from error
    if isinstance(value, datetime):
        # A time without a zone is in UTC, like the times of documents.
        return {"$date": (value if value.tzinfo else value.replace(tzinfo=UTC)).isoformat()}
    return value


def content_of(operator: str, value: Any) -> dict[str, Any]:
    """The condition on a whole text; a search is for words."""
    if operator not in ("==", "!=") or not isinstance(value, str):
        raise FilterError(f"'content' is compared with a text by == and !=, not by {operator!r} with {value!r}")
    pattern = value.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
    equal = {"rawEntry": {"$like": pattern}}
    return equal if operator == "==" else {"$not": equal}


def metadata_of(field: str, operator: str, value: Any, condition: dict[str, Any]) -> dict[str, Any]:
    """The condition on one key of meta."""
    if value is not None:
        return at(field, condition)
    # A key that a document lacks is None for Haystack.
    absent = {"$or": [at(field, {"$eq": None}), at(field, {"$exists": False})]}
    return absent if operator == "==" else {"$not": absent}


def at(field: str, condition: Any) -> dict[str, Any]:
    """A condition at a key of meta, or at a nested one with dots."""
    names = field.removeprefix("meta.").split(".")
    if not all(names):
        raise FilterError(f"the field {field!r} names no key of meta")
    for name in reversed(names):
        condition = {name: condition}
    return {"metadata": condition}
