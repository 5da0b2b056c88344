#!/usr/bin/env python3
"""The defaults in docs/reference/options.md and filters.md against searches of the sample store.

The first value in backquotes of a cell "default" is a key's default. A search with the explicit default has to give the
same answer as one without the key, and a search with another value another answer. So the page cannot name a wrong
default, and no check passes because an option has no effect in the sample. The fields of real answers are compared with
the fields that response.md describes. The last line is "N passed, 0 failed"."""
import json
import re
import sys

import server
import sources
import tables

# For each key another value and, if the key needs them to have an effect, further options of the search.
OTHERS = {
    'strategy': ('recent', {}), 'fallback': (False, {'query': 'nothing of the kind', 'strategy': 'keyword'}),
    'preset': ('cortex', {}), 'match': ('all', {'query': 'green Lisbon', 'strategy': 'keyword'}), 'fusion': ('rrf', {}),
    'boosts.recency': (0.5, {}), 'boosts.author': (0, {'query': 'green tea of ann'}),
    'boosts.date': (0, {'query': 'green tea in March'}), 'boosts.length': (0, {}),
    'relevantOnly': (True, {'query': 'nothing of the kind', 'strategy': 'keyword'}),
    'boosts.importance': (0.5, {}), 'boosts.popularity': (0.5, {}), 'recency.curve': ('linear', {}),
    'recency.days': (60, {}),
    'boosts.usedRecency': (0.5, {}), 'boosts.feedback': (0.5, {}),
    'usedRecency.curve': ('linear', {'boosts': {'usedRecency': 0.5}}),
    'usedRecency.days': (60, {'boosts': {'usedRecency': 0.5}}),
    'popularity.curve': ('cap', {'boosts': {'popularity': 0.5}}),
    'popularity.cap': (3, {'boosts': {'popularity': 0.5}, 'popularity': {'curve': 'cap'}}),
    'candidates': (10, {}), 'includeSuperseded': (True, {'query': 'yellow submarine'}), 'diagnostics': (True, {}),
    'cursor': (True, {}), 'expand': (True, {}),
    'neighbours.before': (1, {}), 'neighbours.after': (1, {}),
    'tagMatch': ('all', {'tags': ['odd', 'even']}),
}


def defaults(page):
    """{key: default} of the keys that have one."""
    text = (sources.REPOSITORY / 'docs' / 'reference' / page).read_text(encoding='utf-8')
    found = {}
    for row in re.findall(r'^\| `.*', text, re.M):
        key, _, default, *_ = [*tables.cells(row), '', '', '']
        if value := tables.NAME.match(default):
            try:
                found[tables.NAME.match(key)[1]] = json.loads(value[1])
            except json.JSONDecodeError:
                found[tables.NAME.match(key)[1]] = value[1]
    return found


def with_value(base, key, value):
    """The options with one more, which may be nested."""
    outer, _, inner = key.partition('.')
    return {**base, outer: {**base.get(outer, {}), inner: value} if inner else value}


def answer(part, given):
    query = {'query': given.pop('query')} if 'query' in given else {}
    return server.search(given if part == 'options' else {}, filters=given if part == 'filters' else None, **query)


def check(part, key, default):
    """A complaint, or None."""
    if key not in OTHERS:
        return f'{part}.{key} has a default: give another value in OTHERS of {__file__}'
    other, base = OTHERS[key]
    plain = answer(part, dict(base))
    if answer(part, with_value(base, key, default)) != plain:
        return f'{part}.{key}: {json.dumps(default)} answers differently from no value: it is not the default'
    if answer(part, with_value(base, key, other)) == plain:
        return f'{part}.{key}: {json.dumps(other)} answers as the default does: the sample shows no difference'
    return None


def unlike(what, fields, schema):
    """A complaint if an answer has other fields than the schema."""
    missing, unknown = set(schema) - set(fields), set(fields) - set(schema)
    if not missing | unknown:
        return None
    return f'{what}: described and not there {sorted(missing)}, there and not described {sorted(unknown)}'


def fields():
    """The fields of an answer with everything in it, level by level."""
    schema = server.schema('response')['properties']
    entry, context = (schema[name]['items']['properties'] for name in ('entries', 'contexts'))
    options = {'includeSuperseded': True, 'diagnostics': True, 'rerank': 'reference.rerank', 'snippets': True,
               'neighbours': {'before': 1}, 'boosts': {'usedRecency': 0.1, 'feedback': 0.25}, 'cursor': True,
               'expand': True, 'fields': [name for name in entry if name != 'neighbours']}
    found = server.search(options, query='yellow submarine, green tea')
    yield unlike('response', found, [*schema, 'diagnostics'])
    yield unlike('entry', {name for one in found['entries'] for name in one}, entry)
    yield unlike('scores', found['entries'][0]['scores'], entry['scores']['properties'])
    yield unlike('context', found['contexts'][0], context)
    yield unlike('diagnostics', found['diagnostics'], ['reads', 'phasesMs'])


def main():
    results = [check(part, key, default)
               for part in ('options', 'filters') for key, default in defaults(f'{part}.md').items()]
    results += fields()
    complaints = [result for result in results if result]
    for complaint in complaints:
        print(complaint, file=sys.stderr)
    if complaints or len(results) < len(OTHERS):
        sys.exit(f'{len(complaints)} of {len(results)} checks of defaults and fields failed')
    print(f'{len(results)} defaults and levels of an answer are what the pages say')
    print(f'{len(results)} passed, 0 failed')


if __name__ == '__main__':
    main()
