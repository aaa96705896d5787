#!/usr/bin/env python3
"""Listens on this minion's event bus. Usage: listen_minion.py SOCKET [TAG…]"""
import json
import socket
import sys

bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])  # minion_event.sock in the minion's sock_dir
bus.sendall(json.dumps({"subscribe": sys.argv[2:]}).encode() + b"\n")
for line in bus.makefile():
    event = json.loads(line)
    if "tag" in event:
        print(event["tag"], json.dumps(event["data"], sort_keys=True), flush=True)
