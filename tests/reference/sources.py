"""The facts that are only in the source: constants, and the SQLSTATEs of errors. Found by name, in any file."""
import pathlib
import re
import sys

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
CONSTANT = re.compile(r'^\s*(?:pub(?:\([^)]*\))? )?(?:const|static) ([A-Z][A-Z0-9_]*): ([^=]+?) = ([^;]+);', re.M)
TESTS = re.compile(r'^#\[cfg\(test\)\]\nmod .*', re.M | re.S)
KIND = re.compile(r'ErrorKind::(\w+) => PgSqlErrorCode::ERRCODE_(\w+)')
DOCUMENTED_KIND = re.compile(r'^    /// [^\n]*\(([0-9A-Z]{5})[^\n]*\)\.?\n    (\w+),', re.M)


def read_all(suffix, *folders):
    """The text of each source file below the folders, by its path, without its tests."""
    files = [path for folder in folders for path in sorted((REPOSITORY / folder).rglob(f'*{suffix}'))]
    return {str(path.relative_to(REPOSITORY)): TESTS.sub('', path.read_text(encoding='utf-8')) for path in files}


def constants():
    """Each constant's places: {name: {path: (type, expression)}}."""
    found = {}
    for path, text in read_all('.rs', 'crates', 'src').items():
        for name, type_, expression in CONSTANT.findall(text):
            found.setdefault(name, {})[path] = (type_, expression)
    return found


def constant(name, known):
    """The value of NAME, or of FOLDER:NAME where several folders have one: a number, or a pair of bounds."""
    folder, _, bare = name.rpartition(':')
    places = {path: value for path, value in known.get(bare, {}).items() if path.startswith(folder)}
    values = {number(expression) for _, expression in places.values()}
    if len(values) != 1:
        sys.exit(f'constant {name}: {len(values)} values are in the source, in {sorted(places) or "no file"}')
    return values.pop()


def number(expression):
    """A number, a product, a shift or an inclusive range as Rust writes it."""
    text = expression.replace('_', '').strip()
    least, dots, most = text.partition('..=')
    if dots:
        return number(least), number(most)
    if re.fullmatch(r'-?[\d.]+(e\d+)?', text):
        return float(text) if '.' in text or 'e' in text else int(text)
    if match := re.fullmatch(r'(\d+) (\*|<<) (\d+)', text):
        left, sign, right = int(match[1]), match[2], int(match[3])
        return left * right if sign == '*' else left << right
    return expression.strip()


def shown(name, value):
    """A constant as prose has it."""
    if isinstance(value, tuple):
        return f'{shown("", value[0])} to {shown("", value[1])}'
    if name.endswith('_BYTES') and value % (1 << 20) == 0:
        return f'{value >> 20} MiB'
    if name.endswith('_BYTES') and value % 1024 == 0 and value > 1024:
        return f'{value >> 10} KiB'
    if isinstance(value, float):
        return f'{value:,.0f}' if value == int(value) and abs(value) < 1e9 else f'{value:g}'.replace('e+', 'e')
    return f'{value:,}' if isinstance(value, int) else str(value)


def condition_of(name):
    """The condition by the name that its code has in the server: of class 40 ("transaction rollback") it says so."""
    return name.lower().removeprefix('t_r_')


def conditions():
    """The condition names that the extension raises, each with the kinds of error that lead to it."""
    raised = {}
    for text in read_all('.rs', 'src').values():
        for kind, condition in KIND.findall(text):
            raised.setdefault(condition_of(condition), []).append(kind)
        for condition in re.findall(r'ERRCODE_(\w+)', text):
            raised.setdefault(condition_of(condition), [])
    for text in read_all('.sql', 'sql/schema', 'src').values():
        for condition in re.findall(r"ERRCODE = '(\w+)'", text):
            raised.setdefault(condition, [])
    if not any(raised.values()):
        sys.exit('no file in src/ says which SQLSTATE an ErrorKind has')
    return raised


def documented_sqlstates():
    """The SQLSTATE that the comment of each ErrorKind names."""
    for text in read_all('.rs', 'crates').values():
        if match := re.search(r'^pub enum ErrorKind \{\n(.*?)^\}', text, re.M | re.S):
            kinds = {kind: code for code, kind in DOCUMENTED_KIND.findall(match[1])}
            missing = set(re.findall(r'^    (\w+),', match[1], re.M)) - set(kinds)
            if missing:
                sys.exit(f'the comments of these ErrorKinds name no SQLSTATE: {", ".join(sorted(missing))}')
            return kinds
    sys.exit('no file in crates/ has the enum ErrorKind')
