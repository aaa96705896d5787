#!/bin/sh
# Runs a plugin of Nagios on every minion, each minute by cron or a timer. What each returns is an event monitoring/<id> on the
# master's bus, and with event-sinks.conf a row in the database. Usage: check.sh [OPTIONS OF natrium]
exec natrium "$@" '*' --return=master_bus --tag=monitoring cmd.run_all '/usr/lib/nagios/plugins/check_procs -w 150 -c 200'
