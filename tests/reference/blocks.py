"""The contents of each generated block of docs/reference: text, or the generated columns of a table."""
import textwrap

import server
import sources
from tables import escaped

WIDTH = 120
TYPES = {'timestamp with time zone': 'timestamptz', 'timestamp without time zone': 'timestamp',
         'character varying': 'varchar', 'character varying[]': 'varchar[]'}


def type_name(name):
    return TYPES.get(name, name)


def paragraph(text):
    """A comment of the catalog as Markdown prose."""
    for sign in '\\*<[':
        text = text.replace(sign, f'\\{sign}')
    wrapped = textwrap.wrap(text, WIDTH - 1, break_long_words=False, break_on_hyphens=False)
    return '\n'.join(f'\\{text}' if text[0] in '#>+-=' else text for text in wrapped)


def default(argument):
    """A default as a user would type it: without the cast to the argument's own type."""
    expression = argument['default']
    return None if expression is None else expression.removesuffix(f"::{argument['type']}")


def signature(function):
    arguments = function['arguments']
    wide = max(len(argument['name']) for argument in arguments)
    lines = []
    for place, argument in enumerate(arguments):
        tail = f' DEFAULT {default(argument)}' if argument['default'] is not None else ''
        comma = ',' if place + 1 < len(arguments) else ''
        lines.append(f"  {argument['name']:<{wide}} {type_name(argument['type'])}{tail}{comma}")
    return '\n'.join([f"{function['name']}(", *lines, f") RETURNS {type_name(function['returns'])}"])


def function_block(overloads):
    parts = []
    for function in overloads:
        strict = ', `STRICT`: a null argument gives null' if function['strict'] else ''
        parts += [f'```text\n{signature(function)}\n```', paragraph(f"{function['comment']}."),
                  f"`{function['volatility']}`, `PARALLEL {function['parallel']}`{strict}."]
    return '\n\n'.join(parts)


def argument_rows(functions):
    """The type of each argument; if functions differ, the most frequent type, and the others by name."""
    uses = {}
    for function in functions:
        for argument in function['arguments']:
            types = uses.setdefault(argument['name'], {})
            types.setdefault(type_name(argument['type']), []).append(function['name'])
    rows = {}
    for name, types in uses.items():
        first, *others = sorted(types, key=lambda type_: (-len(types[type_]), type_))
        exceptions = [f"; in {' and '.join(f'`{name}`' for name in dict.fromkeys(types[type_]))} {type_}" for type_ in others]
        rows[name] = {'type': first + ''.join(exceptions)}
    return rows


def json_type(schema):
    if 'enum' in schema or schema.get('format') == 'date-time':
        kinds = ['timestamp' if 'format' in schema else 'text']
        if 'null' in schema['type']:
            kinds.append('null')
        return ' or '.join(kinds)
    kind = schema['type']
    kinds = kind if isinstance(kind, list) else [kind]
    words = {'string': 'text', 'array': 'list'}
    return ' or '.join(words.get(kind, kind) for kind in kinds)


def field_rows(schema):
    return {name: {'type': json_type(field)} for name, field in schema['properties'].items()}


def column_rows(function):
    return {column['name']: {'type': type_name(column['type'])} for column in function['columns']}


def values(expected):
    """The values that a validator expects, as a cell: the words of a choice as code, numbers with separators."""
    if expected.startswith('one of '):
        return ', '.join(f'`{word}`' for word in expected.removeprefix('one of ').split(', '))
    if expected == 'true or false':
        return '`true`, `false`'
    for start in ('a whole number from ', 'a number from '):
        if expected.startswith(start):
            least, most = expected.removeprefix(start).split(' to ')
            number = 'whole number' if 'whole' in start else 'number'
            return f"{number}, {sources.shown('', sources.number(least))} to {large(sources.number(most))}"
    return expected.removeprefix('a ')


def large(number):
    return '1e12' if number == 10**12 else sources.shown('', number)


def key_rows(part):
    """The keys of filters or options, nested ones by their path, and the value that the validators want for each."""
    rows, paths = {}, []
    for key in server.keys_of(part):
        paths.append((part, key))
    for (_, key), expected in zip(paths, server.expected_values(paths), strict=True):
        if expected == 'a JSON object' and part == 'options':
            inner = [(part, key, name) for name in server.keys_of(part, key)]
            for path, nested in zip(inner, server.expected_values(inner), strict=True):
                rows[f'{key}.{path[-1]}'] = {'values': escaped(values(nested))}
        else:
            rows[key] = {'values': escaped(values(expected))}
    return rows


def operator_rows():
    of_columns = [server.keys_of('filters', column) for column in ('importance', 'tags', 'rawEntry')]
    return {operator: {} for operators in of_columns for operator in operators}


def request_rows():
    return {key: {} for key in server.keys_of()}


def other_type_rows():
    return {type_name(narrow): {'is given as': listed(others)} for narrow, others in sorted(server.other_types().items())}


def listed(types):
    return ', '.join(f'`{name}`' for name in sorted(map(type_name, types)))


def setting_rows():
    rows = {}
    for setting in server.settings():
        if setting['unit'] is not None:
            raise SystemExit(f"{setting['name']} has a unit: settings.md needs a column for it")
        is_number = setting['vartype'] == 'integer'
        rows[setting['name']] = {
            'type': setting['vartype'], 'set by': {'user': 'anybody'}.get(setting['context'], setting['context']),
            'range': f"{int(setting['min_val']):,} to {int(setting['max_val']):,}" if is_number else 'any',
            'default': f"`{setting['boot_val']}`" if setting['boot_val'] else 'empty',
            'description': escaped(f"{setting['short_desc']} {setting['extra_desc']}"),
        }
    return rows


def error_rows():
    raised = sources.conditions()
    codes = server.sqlstates(sorted(set(raised) - {'warning', 'successful_completion'}))
    documented = sources.documented_sqlstates()
    for condition, kinds in raised.items():
        for kind in kinds:
            if documented.get(kind) != codes[condition]:
                raise SystemExit(f'ErrorKind::{kind} is {codes[condition]}, its comment says {documented.get(kind)}')
    by_code = sorted((code, condition) for condition, code in codes.items())
    return {code: {'condition': f'`{condition}`'} for code, condition in by_code}


def diagnostics(part):
    """The fields that the sample store's searches answer under diagnostics."""
    found = {}
    for options in ({}, {'strategy': 'keyword', 'typos': True}, {'strategy': 'recent'}):
        answer = server.search({**options, 'diagnostics': True})['diagnostics']
        for fields in answer['reads'] if part == 'reads' else [answer['phasesMs']]:
            found.update({name: {} for name in fields})
    return found


def all_blocks():
    """Every block by its name: a text, or the rows of a table."""
    functions = server.functions()
    response = server.schema('response')
    entry = response['properties']['entries']['items']
    by_name = {}
    for function in functions:
        by_name.setdefault(function['name'], []).append(function)
    blocks = {f'function {name}': function_block(overloads) for name, overloads in by_name.items()}
    returned = {name: overloads[0] for name, overloads in by_name.items() if overloads[0]['columns']}
    blocks |= {f'columns of {name}': column_rows(function) for name, function in returned.items()}
    return blocks | {
        'functions': {name: {'returns': type_name(first['returns']).lower(), 'volatility': first['volatility']}
                      for name, (first, *_) in by_name.items()},
        'type memory_embedding': f'{paragraph(server.embedding_comment())}.\n\n' + '\n'.join(textwrap.wrap(
            f'Implicit casts to it are from {listed(server.embedding_casts())}.', WIDTH - 1, break_on_hyphens=False)),
        'other types': other_type_rows(), 'arguments': argument_rows(functions), 'request': request_rows(),
        'filters': key_rows('filters'), 'operators': operator_rows(), 'options': key_rows('options'),
        'response': field_rows(response) | {'diagnostics': {'type': 'object'}}, 'entry': field_rows(entry),
        'scores': field_rows(entry['properties']['scores']),
        'context': field_rows(response['properties']['contexts']['items']),
        'reads': diagnostics('reads'), 'phases': diagnostics('phases'),
        'settings': setting_rows(), 'errors': error_rows(),
    }
