#!/usr/bin/env bash
# Runs psql so that its answers look as the tests expect; pg_regress puts this script before psql. Columns have no
# padding, and no line counts the rows, because a reader sees them. psql repeats only the first line of each statement,
# by which a reader finds the statement in the test's file.
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
