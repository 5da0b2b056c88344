"""JSON that is returned exactly as it was stored, which `jsonb` alone does not guarantee."""

import json
import re
from collections.abc import Mapping
from typing import Any

# Values that jsonb refuses (NUL, NaN), or returns as another type: 1e23 becomes an integer.
REWRITTEN = re.compile(r"\\u0000|NaN|Infinity|\d[eE]")


def to_metadata(document: Any) -> dict[str, Any]:
    """Metadata with a JSON document: unchanged, so that filters can read it, or else as a text."""
    text = json.dumps(document, ensure_ascii=False)
    if REWRITTEN.search(text) or not _is_unicode(text):
        return {"json": json.dumps(document)}
    return {"document": document}


def from_metadata(metadata: Mapping[str, Any]) -> Any:
    """The document."""
    return json.loads(metadata["json"]) if "json" in metadata else metadata["document"]


def searchable(text: str) -> str:
    """A text without characters that PostgreSQL does not have; the document keeps them."""
    return text.replace("\0", "").encode("utf-8", "replace").decode()


def _is_unicode(text: str) -> bool:
    """Whether a text has no half of a surrogate pair."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
