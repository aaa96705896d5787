#!/usr/bin/env python3
"""Listens for checks and prints one line for each, as an alarm would. Usage: alarm.py SOCKET"""
import json
import socket
import sys

STATES = ["OK", "WARNING", "CRITICAL", "UNKNOWN"]

bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])  # master_event.sock in the master's sock_dir
bus.sendall(b'{"subscribe": "monitoring/"}\n')
for line in bus.makefile():
    event = json.loads(line)
    if "subscribed" in event:
        print("listening", flush=True)
    if "tag" in event:
        check = event["data"]["return"]
        print(event["tag"], STATES[min(check["retcode"], 3)], check["stdout"], flush=True)
