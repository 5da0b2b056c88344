# shellcheck shell=bash
# A queue of jobs that run beside each other in lanes: each lane takes the first job whose needs are done. Sourced by
# run_all.sh, after paths.sh.
#   job TIER NAME KIND NEEDS COMMAND...   adds a job. TIER groups jobs in the table of costs; KIND is `counts` (the last
#                                         line of output is "N passed, 0 failed") or `steps`, with `:cargo` where the
#                                         job compiles in target/, which one job at a time may; NEEDS are names of jobs
#   run_jobs LANES                        runs them; after a failure no further job begins, unless KEEP_GOING is set.
#                                         A job that compiles takes two lanes, if there are three or more: cargo runs
#                                         several compilers, while a test waits for its server now and then
# A job's output is printed whole when it ends, so that outputs do not mix.

JOB_TIERS=() JOB_NAMES=() JOB_KINDS=() JOB_NEEDS=() JOB_COMMANDS=()
job() { # TIER NAME KIND NEEDS COMMAND...
  JOB_TIERS+=("$1") JOB_NAMES+=("$2") JOB_KINDS+=("$3") JOB_NEEDS+=("$4")
  JOB_COMMANDS+=("$(printf '%q ' "${@:5}")")
}

# The number of the next job; status 1 when all that are left must wait, 2 when none is left.
take_job() { # LANES
  local number need width left=2 free=$1
  exec 8> "$JOBS/lock"
  flock 8
  for number in "$JOBS"/*.runs; do
    if [[ -e $number ]]; then free=$(( free - $(< "$number") )); fi
  done
  for number in "${!JOB_NAMES[@]}"; do
    if [[ -e $JOBS/$number.taken ]]; then continue; fi
    left=1
    for need in ${JOB_NEEDS[number]}; do
      if [[ ! -e $JOBS/done.$need ]]; then continue 2; fi
    done
    width=1
    if [[ ${JOB_KINDS[number]} == *:cargo ]]; then
      if [[ -e $JOBS/compiling ]]; then continue; fi
      width=$(( $1 > 2 ? 2 : 1 ))
    fi
    # A later job must not take the lane that this one waits for: others wait for the compiled files.
    if (( width > free )); then return 1; fi
    if [[ ${JOB_KINDS[number]} == *:cargo ]]; then : > "$JOBS/compiling"; fi
    echo "$width" > "$JOBS/$number.runs"
    : > "$JOBS/$number.taken"
    echo "$number"
    return
  done
  return "$left"
}

# Runs a job and leaves its row for the table: tier, name, seconds, processor seconds, tests passed.
run_job() { # NUMBER
  local number=$1 name=${JOB_NAMES[$1]} kind=${JOB_KINDS[$1]} log=$JOBS/$1.log count='' status=0 real user system
  # A process of its own, whose times include all its children.
  TIMEFORMAT='%R %U %S'
  { time bash -c "${JOB_COMMANDS[number]}" > "$log" 2>&1 8>&-; } 2> "$JOBS/$number.time" || status=$?
  read -r real user system < <(tail -n 1 "$JOBS/$number.time")
  if [[ $kind == *:cargo ]]; then rm -f "$JOBS/compiling"; fi
  if (( status == 0 )) && [[ $kind == counts* ]]; then
    count=$(sed -nE '$s/^([1-9][0-9]*) passed, 0 failed$/\1/p' "$log")
    if [[ -z $count ]]; then
      echo "it did not say how many tests passed" >> "$log"
      status=1
    fi
  fi
  exec 7> "$JOBS/output"
  flock 7
  printf '\n=== %s: %s s ===\n' "$name" "${real%.*}"
  cat "$log"
  if (( status )); then
    printf '\n=== %s FAILED after %s s ===\n' "$name" "${real%.*}" >&2
    printf '%s\t%s\n' "$number" "$name" >> "$JOBS/failed"
  fi
  printf '%s\t%s\t%s\t%s\t%s\n' "${JOB_TIERS[number]}" "$name" "$real" \
    "$(awk "BEGIN { print $user + $system }")" "$count" >> "$JOBS/rows"
  exec 7>&-
  : > "$JOBS/done.$name"
  # The lock prevents this while a lane adds up the running jobs.
  { flock 8; rm -f "$JOBS/$number.runs"; } 8> "$JOBS/lock"
}

lane() { # LANES
  local number status
  while [[ ! -e $JOBS/failed || -n ${KEEP_GOING:-} ]]; do
    status=0
    number=$(take_job "$1") || status=$?
    if (( status == 2 )); then return; fi
    if (( status == 1 )); then sleep 0.2; else run_job "$number"; fi
  done
}

# Ends a process and all below it, those below first, so that each script removes the servers that it started.
end_process() { # PID
  local child
  # shellcheck disable=SC2013 # words of a line
  for child in $(cat "/proc/$1/task"/*/children 2>/dev/null); do end_process "$child"; done
  kill "$1" 2>/dev/null || true
}

end_lanes() {
  local status=$? lane
  for lane in $(jobs -p); do end_process "$lane"; done
  wait
  rm -rf "$JOBS"
  return "$status"
}

run_jobs() { # LANES; status 1 after a failure
  local number need
  JOBS=$(mktemp -d)
  trap end_lanes EXIT
  for number in "${!JOB_NAMES[@]}"; do
    for need in ${JOB_NEEDS[number]}; do
      [[ " ${JOB_NAMES[*]:0:number} " == *" $need "* ]] || die "the job ${JOB_NAMES[number]} needs $need, which no job before it is"
    done
  done
  : > "$JOBS/rows"
  for (( number = 0; number < $1; number++ )); do lane "$1" & done
  wait
  [[ ! -e $JOBS/failed ]]
}

# The costs of the tiers: elapsed seconds, processor seconds, tests; then the jobs that took longest.
jobs_table() {
  printf '\n%-12s %5s %9s %9s %9s\n' tier jobs seconds 'cpu s' passed
  awk -F '\t' '
    !($1 in jobs) { order[++tiers] = $1 }
    { jobs[$1]++; seconds[$1] += $3; cpu[$1] += $4; passed[$1] += $5; all += $3; all_cpu += $4; n++ }
    END {
      for (i = 1; i <= tiers; i++) {
        t = order[i]
        printf "%-12s %5d %9.0f %9.0f %9s\n", t, jobs[t], seconds[t], cpu[t], passed[t] ? passed[t] : ""
      }
      printf "%-12s %5d %9.0f %9.0f\n", "sum", n, all, all_cpu
    }' "$JOBS/rows"
  printf '\nthe longest jobs:\n'
  # awk reads all rows: where `head` ends the pipe, pipefail takes sort's SIGPIPE for a failure.
  sort -t $'\t' -k 3,3 -rn "$JOBS/rows" | awk -F '\t' 'NR <= 12 { printf "  %-32s %5.0f s\n", $2, $3 }'
}

# The reasons for a failed run, for a reader who sees only its last lines: for each failed job the lines that name a
# failed test, or the last lines of its output.
failed_jobs() {
  local number name
  while IFS=$'\t' read -r number name; do
    printf '\n%s failed:\n' "$name"
    { grep -E '^(not ok|FAILED|# *(FAIL|[A-Za-z]*Error)|[A-Za-z]*Error:|error(\[|:)|  FAIL )' "$JOBS/$number.log" ||
        tail -n 6 "$JOBS/$number.log"; } | cut -c 1-160 | awk 'NR <= 6'
  done < "$JOBS/failed"
}

jobs_passed() { awk -F '\t' '{ n += $5 } END { print n + 0 }' "$JOBS/rows"; }
