#!/usr/bin/env python3
"""Fires a list of five events on the master's bus, from a minion. Usage: minion_to_master.py SOCKET"""
import json
import socket
import sys

events = [{"tag": f"monitoring/{n}", "data": {"message": f"event {n}"}} for n in range(1, 6)]
bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])  # minion_event.sock in the minion's sock_dir
bus.sendall(json.dumps({"fire": "fire_master", "data": {"events": events}}).encode() + b"\n")
print(bus.makefile().readline().strip())
