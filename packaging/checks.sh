# shellcheck shell=bash
# Functions by which tests of packages report their checks. Sourced, never run.

PASSED=0

# A sentence, and a command that must succeed. If it fails, its output is printed.
holds() { # SENTENCE COMMAND...
  local printed
  if printed=$("${@:2}" 2>&1); then
    PASSED=$(( PASSED + 1 ))
    say "  $1"
  else
    printf '%s\n' "$printed" >&2
    die "does not hold: $1"
  fi
}

# A sentence, and a command that must fail with output that matches the pattern.
refused() { # SENTENCE PATTERN COMMAND...
  local printed
  if printed=$("${@:3}" 2>&1); then
    printf '%s\n' "$printed" >&2
    die "does not hold, for nothing was refused: $1"
  fi
  grep -qE -- "$2" <<< "$printed" || { printf '%s\n' "$printed" >&2; die "does not hold, wrong output: $1"; }
  PASSED=$(( PASSED + 1 ))
  say "  $1"
}

# Two texts that must be the same.
same() { # SENTENCE WANTED GOT
  [[ $2 == "$3" ]] || die "does not hold: $1
wanted: $2
got:    $3"
  PASSED=$(( PASSED + 1 ))
  say "  $1"
}
