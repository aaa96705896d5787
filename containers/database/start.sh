#!/bin/sh
# Starts the PostgreSQL of the profile `sink`. It has no network: the event-sink comes through a socket that only it and this
# container see, and is who it is by its user (peer), so that there is no password. Nobody comes as the superuser.
set -eu
data=/var/lib/natrium/postgresql
if [ ! -d "$data" ]; then
  rm -rf "$data.new"
  initdb --pgdata="$data.new" --username=postgres --auth=reject --encoding=UTF8 --locale=C > /dev/null
  postgres --single -c exit_on_error=on -D "$data.new" postgres > /dev/null << 'SQL'
CREATE ROLE natrium LOGIN
CREATE DATABASE natrium OWNER natrium
SQL
  # Whole or not at all: a start that is cut short is begun anew.
  mv "$data.new" "$data"
fi
exec postgres -D "$data" -c listen_addresses= -c unix_socket_directories=/run/natrium-database \
  -c hba_file=/opt/natrium/containers/database/pg_hba.conf
