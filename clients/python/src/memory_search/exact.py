"""JSON that comes back as it went, which `jsonb` alone does not promise."""

import json
import re
from collections.abc import Mapping
from typing import Any

# What jsonb refuses (NUL, NaN), or gives back as another type: 1e23 becomes an integer.
REWRITTEN = re.compile(r"\\u0000|NaN|Infinity|\d[eE]")


def to_metadata(document: Any) -> dict[str, Any]:
    """Metadata that hold a document of JSON: as it is, so that filters may ask it, or else as a text."""
    text = json.dumps(document, ensure_ascii=False)
    if REWRITTEN.search(text) or not _is_unicode(text):
        return {"json": json.dumps(document)}
    return {"document": document}


def from_metadata(metadata: Mapping[str, Any]) -> Any:
    """The document."""
    return json.loads(metadata["json"]) if "json" in metadata else metadata["document"]


def searchable(text: str) -> str:
    """A text without what PostgreSQL has no characters for; the document keeps them."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _is_unicode(text: str) -> bool:
    """Without half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
