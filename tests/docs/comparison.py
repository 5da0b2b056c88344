"""Whether an example's output is the output on its page. Uuids, times of today and the last digit of a number may
differ."""
import math
import re

UUID = re.compile(r'[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}')
TODAY = re.compile(r'\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d+(?:Z|[+-]\d\d(?::?\d\d)?)')
NUMBER = re.compile(r'(?<![\w.])-?\d+\.\d+(?:e-?\d+)?(?![\w.])')
FAILURE = re.compile(r'^(ERROR|FATAL|PANIC|invalid command|\\\w+: )', re.M)


def words(text):
    """The text without the parts that may differ: (words and punctuation, numbers with a decimal point as written)."""
    text = UUID.sub('UUID', text)
    text = TODAY.sub('TIME', text)
    numbers = NUMBER.findall(text)
    text = NUMBER.sub('NUMBER', text)
    text = re.sub(r'^[-+]+$', '', text, flags=re.M)  # rulers of tables: as wide as their columns
    return re.sub(r'\s+', ' ', text).strip(), numbers


def close(shown, got):
    """Whether two numbers differ by no more than one in the last digit shown; by 0.0001 beyond four digits."""
    digits = min(len(number.partition('.')[2].partition('e')[0]) for number in (shown, got))
    return math.isclose(float(shown), float(got), rel_tol=0, abs_tol=1.01 * 10.0 ** -min(digits, 4))


def same(shown, got):
    (shown_words, shown_numbers), (got_words, got_numbers) = words(shown), words(got)
    if shown_words != got_words or len(shown_numbers) != len(got_numbers):
        return False
    return all(close(*pair) for pair in zip(shown_numbers, got_numbers))
