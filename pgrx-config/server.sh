#!/usr/bin/env bash
# Private servers that stay until they are stopped: server.sh start|stop|status|psql NAME
#
# SERVER_CONF_EXTRA holds further lines of settings. Other scripts connect with
#   . "$MEMORY_SEARCH_DEV/NAME/connection.env"
set -euo pipefail
# shellcheck source=pgrx-config/cluster.sh
. "$(dirname "${BASH_SOURCE[0]}")/cluster.sh"

usage="usage: server.sh start|stop|status|psql NAME [psql arguments]"
command=${1:?$usage} name=${2:-demo}
dir=$MEMORY_SEARCH_DEV/$name
[[ $name =~ ^[a-z][a-z0-9_]{0,62}$ ]] || die "a server's name is lower case letters, digits and _"
case $name in
  pg[0-9]*|pgspot|pytest|model|venv|downloads|stage|rumdl|clients|site|hadolint|packages) die "$name is a folder of the set-up: choose another name" ;;
esac

case $command in
  start)
    if cluster_running "$dir" && [[ -e $dir/connection.env ]]; then
      say "server $name is running already"
      exit
    fi
    make_dev_folder
    cluster_create "$dir"
    cluster_stop "$dir" # one that runs without a known address, after an interrupted start
    cluster_start "$dir" "$name" "${SERVER_CONF_EXTRA:-}"
    say "server $name is running: socket folder $(< "$dir/socket_folder"), log $dir/log"
    ;;
  stop)
    if cluster_running "$dir"; then
      cluster_stop "$dir"
      say "server $name is stopped"
    else
      cluster_stop "$dir"
      say "server $name was not running"
    fi
    ;;
  status)
    if cluster_running "$dir"; then
      echo "server $name is running"
      cat "$dir/connection.env"
    else
      echo "server $name is not running"
      exit 3
    fi
    ;;
  psql)
    [[ -e $dir/connection.env ]] || die "server $name is not running: start it with server.sh start $name"
    # shellcheck source=/dev/null
    . "$dir/connection.env"
    exec "$PG_BIN/psql" "${@:3}"
    ;;
  *) die "$usage" ;;
esac
