#!/usr/bin/env python3
"""Turns a JSONL file of memories into a psql script that loads it, all or nothing.

    demo/load_memory.py FILE [--map FIELD=KEY ...] [--store memory] | psql -v ON_ERROR_STOP=1

Each line is one JSON object: memory_id and raw_entry are required; summary, context, tags, metadata,
importance, user_id, agent_id, source_type, creation_time and entry_id are optional, null is the same
as absent. Files with other names are read with --map raw_entry=content; keys that nothing is mapped
from are then ignored, and --map entry_id= (nothing after the sign) ignores a field of ours.

Bad lines are reported on stderr, all of them, and then nothing is written: exit code 1.
"""
import argparse
import datetime
import json
import re
import sys
import uuid

MAX_REPORTED = 20
TIME = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?\s*(Z|[+-]\d\d(?::?\d\d)?)?)?",
    re.IGNORECASE | re.ASCII,
)

# --- One field: the accepted value, or ValueError with what is wrong -----------------------------


def text(value):
    if not isinstance(value, str):
        raise ValueError("must be a string")
    return value


def required_text(value):
    if not text(value).strip():
        raise ValueError("must not be empty")
    return value


def tags(value):
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        raise ValueError("must be a list of strings")
    return value


def metadata(value):
    if not isinstance(value, dict):
        raise ValueError("must be a JSON object")
    return value


def importance(value):
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= 100:
        raise ValueError("must be a whole number from 0 to 100")
    return value


def creation_time(value):
    found = TIME.fullmatch(text(value).strip())
    try:
        if not found:
            raise ValueError
        year, month, day, hour, minute, second = (int(part or 0) for part in found.groups()[:6])
        datetime.datetime(year, month, day, hour, minute, min(second, 59))  # a leap second is fine
        offset = found[8] or "Z"
        if second > 60 or (offset[0] in "+-" and int(offset[1:3]) > 15):  # PostgreSQL's own bounds
            raise ValueError
    except ValueError:
        raise ValueError(f"is not a time like 2025-06-27T11:42:03Z: {value[:40]!r}") from None
    return value.strip()


def entry_id(value):
    try:
        return str(uuid.UUID(text(value)))
    except ValueError:
        hint = "--map entry_id= leaves it out"
        raise ValueError(f"is not a UUID: {str(value)[:40]!r} ({hint})") from None


REQUIRED = {"memory_id": required_text, "raw_entry": required_text}
OPTIONAL = {
    "summary": text,
    "context": text,
    "tags": tags,
    "metadata": metadata,
    "importance": importance,
    "user_id": text,
    "agent_id": text,
    "source_type": text,
    "creation_time": creation_time,
    "entry_id": entry_id,
}
CHECKS = {**REQUIRED, **OPTIONAL}


# --- One line ------------------------------------------------------------------------------------


def no_duplicates(pairs):
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"the key {next(key for key in keys if keys.count(key) > 1)!r} occurs twice")
    return found


def finite(number):
    value = float(number)
    if value in (float("inf"), float("-inf")):
        raise ValueError(f"the number {number[:20]} is too large")
    return value


def whole(number):
    if len(number) > 1000:
        raise ValueError(f"the number {number[:20]}... is too long")
    return int(number)


def no_constant(name):
    raise ValueError(f"{name} is not JSON")


def parse(line):
    """The JSON object of a line, refusing what PostgreSQL's jsonb would refuse later."""
    try:
        found = json.loads(
            line.decode("utf-8"),
            object_pairs_hook=no_duplicates,
            parse_float=finite,
            parse_int=whole,
            parse_constant=no_constant,
        )
    except UnicodeDecodeError:
        raise ValueError("is not UTF-8") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg} at column {error.colno}") from None
    except RecursionError:
        raise ValueError("is nested too deeply") from None
    if not isinstance(found, dict):
        raise ValueError("is not a JSON object")
    return found


def check_characters(written):
    if re.search(r"(?<!\\)(?:\\\\)*\\u0000", written):
        raise ValueError("contains a NUL character, which PostgreSQL cannot store")
    try:
        written.encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("contains half of a surrogate pair") from None


class Reader:
    def __init__(self, mapping):
        self.keys = {field: mapping.get(field, field) for field in CHECKS}
        self.lenient = bool(mapping)
        self.ignored = set()
        self.seen = {}

    def entry(self, line, number):
        """(the entry as JSON or None, what is wrong with the line)"""
        try:
            found = parse(line)
        except ValueError as error:
            return None, [str(error)]
        problems = self.unknown_keys(found)
        entry = {}
        for field, check in CHECKS.items():
            key = self.keys[field]
            value = found.get(key) if key else None
            if value is None:
                if field in REQUIRED:
                    problems.append(f"{key} is missing" if key == field else f"{key} (for {field}) is missing")
                continue
            try:
                entry[field] = check(value)
            except ValueError as error:
                problems.append(f"{key} {error}")
        if not problems and "entry_id" in entry:
            place = (entry["memory_id"], entry["entry_id"])
            first = self.seen.setdefault(place, number)
            if first != number:
                problems.append(f"the entry_id is that of line {first} already")
        written = json.dumps(entry, ensure_ascii=False)
        try:
            check_characters(written)
        except ValueError as error:
            problems.append(str(error))
        return written, problems

    def unknown_keys(self, found):
        unknown = found.keys() - set(self.keys.values())
        if self.lenient:
            self.ignored |= unknown
            return []
        return ["unknown key " + ", ".join(repr(key[:40]) for key in sorted(unknown))] if unknown else []


def read(stream, reader):
    """All entries as (line number, JSON), and all problems as (line number, reason)."""
    entries, problems = [], []
    # Split at line feeds only: a JSON string may hold other characters that Python takes for line ends.
    for number, line in enumerate(stream, start=1):
        if number == 1 and line.startswith(b"\xef\xbb\xbf"):
            line = line[3:]
        if not line.strip():
            continue
        written, wrong = reader.entry(line, number)
        if wrong:
            problems.append((number, "; ".join(wrong)))
        else:
            entries.append((number, written))
    if not entries and not problems:
        problems.append((1, "the file holds no entry"))
    return entries, problems


# --- The script ----------------------------------------------------------------------------------

# The subquery's order is the order of the calls, so contexts grow as the file tells them. What a line
# leaves out is given the default that the store's own columns have.
ADD = """
SELECT count(memory_add(
         memory_id     => entry->>'memory_id',
         raw_entry     => entry->>'raw_entry',
         summary       => entry->>'summary',
         context       => entry->>'context',
         tags          => ARRAY(SELECT jsonb_array_elements_text(entry->'tags')),
         metadata      => coalesce(entry->'metadata', '{}'),
         importance    => coalesce((entry->>'importance')::int, 50),
         user_id       => entry->>'user_id',
         agent_id      => entry->>'agent_id',
         source_type   => entry->>'source_type',
         creation_time => coalesce((entry->>'creation_time')::timestamptz, now()),
         entry_id      => coalesce((entry->>'entry_id')::uuid, gen_random_uuid()),
         store         => %(store)s)) AS loaded
  FROM (SELECT entry FROM load_memory ORDER BY line_number) AS lines
\\gset
"""


def write(entries, store, out):
    name = "'" + store.replace("'", "''") + "'"
    schema = '"' + store.replace('"', '""') + '"'
    out.write("\\encoding UTF8\n\\set ON_ERROR_STOP on\n\\set QUIET on\n")
    out.write("SET standard_conforming_strings = on;\nBEGIN;\nSET LOCAL timezone = 'UTC';\n")
    out.write("CREATE TEMP TABLE load_memory (line_number int, entry jsonb) ON COMMIT DROP;\n")
    out.write("COPY load_memory FROM stdin;\n")
    for number, written in entries:
        # Control characters are escaped by JSON already; COPY's own escape is the backslash.
        out.write(f"{number}\t" + written.replace("\\", "\\\\") + "\n")
    out.write("\\.\n")
    out.write(ADD % {"store": name})
    out.write(f"COMMIT;\nANALYZE {schema}.entries, {schema}.contexts;\n\\echo :loaded entries loaded\n")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", help="the JSONL file, or - for standard input")
    parser.add_argument("--map", action="append", default=[], metavar="FIELD=KEY", help="read FIELD from KEY")
    parser.add_argument("--store", default="memory", help="the store to load into")
    given = parser.parse_args()
    mapping = {}
    for pair in given.map:
        field, sign, key = pair.partition("=")
        if not sign or field not in CHECKS:
            parser.error(f"--map {pair}: write FIELD=KEY, where FIELD is one of {', '.join(CHECKS)}")
        if not key and field in REQUIRED:
            parser.error(f"--map {pair}: {field} is required")
        mapping[field] = key
    return given, mapping


def main():
    given, mapping = arguments()
    reader = Reader(mapping)
    try:
        if given.file == "-":
            entries, problems = read(sys.stdin.buffer, reader)
        else:
            with open(given.file, "rb") as stream:
                entries, problems = read(stream, reader)
    except OSError as error:
        sys.exit(f"load_memory.py: {given.file}: {error.strerror}")
    if problems:
        for number, reason in problems[:MAX_REPORTED]:
            print(f"{given.file}, line {number}: {reason}", file=sys.stderr)
        if len(problems) > MAX_REPORTED:
            print(f"and {len(problems) - MAX_REPORTED} more bad lines", file=sys.stderr)
        if any("unknown key" in reason for _, reason in problems):
            print(f"known keys: {', '.join(CHECKS)}; --map reads others", file=sys.stderr)
        sys.exit("nothing was loaded")
    if reader.ignored:
        print("ignored keys: " + ", ".join(sorted(reader.ignored)), file=sys.stderr)
    sys.stdout.reconfigure(encoding="utf-8", newline="\n")
    write(entries, given.store, sys.stdout)


if __name__ == "__main__":
    main()
