#!/usr/bin/env python3
"""Listens on the master's event bus. Usage: listen_master.py SOCKET [TAG…]"""
import json
import socket
import sys

bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])  # master_event.sock in the master's sock_dir
bus.sendall(json.dumps({"subscribe": sys.argv[2:]}).encode() + b"\n")
for line in bus.makefile():
    event = json.loads(line)
    if "tag" in event:
        print(event["tag"], json.dumps(event["data"], sort_keys=True), flush=True)
