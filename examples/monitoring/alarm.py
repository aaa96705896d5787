#!/usr/bin/env python3
"""Listens for checks and prints one line for each, as an alarm would. Usage: alarm.py SOCKET"""
import json
import socket
import sys

STATES = ["OK", "WARNING", "CRITICAL", "UNKNOWN"]


def told(event):
    """What the check of a host came to. Any minion may fire any tag: only what the host itself has fired counts."""
    who, host = event["origin"], event["tag"].split("/", 1)[1]
    if who["kind"] != "minion" or who["name"] != host:
        return None
    check = event["data"].get("return") if isinstance(event["data"], dict) else None
    if not isinstance(check, dict) or not isinstance(check.get("retcode"), int):
        return f"{event['tag']} UNKNOWN {check}"  # the job has failed
    return f"{event['tag']} {STATES[min(max(check['retcode'], 0), 3)]} {check.get('stdout', '')}"


bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])  # master_event.sock in the master's sock_dir
bus.sendall(b'{"subscribe": "monitoring/"}\n')
for line in bus.makefile():
    event = json.loads(line)
    if "subscribed" in event:
        print("listening", flush=True)
    if "tag" in event and (line_of_host := told(event)) is not None:
        print(line_of_host, flush=True)
