"""Markdown tables in which some columns are made from the code, and the others are written by hand and stay."""
import re
import sys

CELLS = re.compile(r'(?<!\\)\|')
NAME = re.compile(r'`([^`]+)`')
RULE = re.compile(r'^\|[-:| ]+\|$')


def cells(line):
    """The cells of a line, as they are written."""
    return [cell.strip() for cell in CELLS.split(line.strip())[1:-1]]


def line(values):
    return '| ' + ' | '.join(values) + ' |'


def escaped(text):
    """Text that is code in a cell."""
    return str(text).replace('|', '\\|')


def merged(where, table, made):
    """The table with the columns of `made`, {name: {column: value}}, and all others as they are.

    A row is about every name that its first cell has in backquotes. Rows keep their order; what has no row yet gets
    one at the end, whose other cells are to be filled by hand."""
    lines = [text for text in table.strip().split('\n') if text.strip()]
    if len(lines) < 2 or not RULE.match(lines[1]):
        sys.exit(f'{where}: a table with its header and the rule below it has to be there')
    header = cells(lines[0])
    rows, seen = [], set()
    for text in lines[2:]:
        row = cells(text)
        if len(row) != len(header):
            sys.exit(f'{where}: {len(row)} cells under a header of {len(header)}: {text}')
        names = NAME.findall(row[0])
        for name in names:
            if name not in made:
                sys.exit(f'{where}: remove `{name}`, which the code does not have; it has {", ".join(sorted(made))}')
            if name in seen:
                sys.exit(f'{where}: `{name}` has two rows')
            seen.add(name)
        if not names:
            sys.exit(f'{where}: the first cell of a row names nothing in backquotes: {text}')
        values = [made[name] for name in names]
        if any(value != values[0] for value in values):
            sys.exit(f'{where}: {", ".join(names)} differ in what the code says: each needs a row')
        rows.append([values[0].get(column, cell) for column, cell in zip(header, row, strict=True)])
    for name in made:
        if name not in seen:
            rows.append([f'`{name}`', *(made[name].get(column, '') for column in header[1:])])
    return '\n'.join([line(header), lines[1], *(line(row) for row in rows)])


def empty_cells(table):
    """The rows that lack a cell that must be written by hand."""
    return [text for text in table.split('\n')[2:] if '' in cells(text)]
