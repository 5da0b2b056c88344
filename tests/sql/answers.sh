#!/usr/bin/env bash
# Runs psql as the tests want its answers; pg_regress puts it before psql. Columns stand side by side without padding,
# and rows that are there to see are not counted. Of each statement psql repeats the first line, by which a reader finds
# it: the rest stands in the test's file already.
set -o pipefail
file=$(readlink "/proc/$$/fd/0")
"$@" --no-align --pset=footer=off 2>&1 | awk -v file="$file" '
  # psql repeats no line without text.
  BEGIN { while ((getline line < file) > 0) if (line != "") lines[++count] = line; next_line = 1; ended = 1 }
  # An answer. One that looks like the next line of the file is taken for it, and that line for the answer: they are alike.
  next_line > count || $0 != lines[next_line] { print; next }
  {
    next_line++
    if (ended) print
    if (!quoted && /^(--|\\|:[a-z_]+$)/) next
    # Two dollars in quotes are text, too.
    for (rest = $0; match(rest, quoted ? "[$][a-z_]*[$]" : "[$][a-z_]*[$]|\047[^\047]*\047");
         rest = substr(rest, RSTART + RLENGTH))
      if (substr(rest, RSTART, 1) == "$") quoted = !quoted
    ended = !quoted && (/;[ ]*(--.*)?$/ || /\\(g|gx|gset|gexec|gdesc|watch|crosstabview)( .*)?$/)
  }'
