#!/usr/bin/env python3
"""Fires an event on this minion's bus. Usage: emit_minion.py SOCKET"""
import json
import socket
import sys

bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])  # minion_event.sock in the minion's sock_dir
bus.sendall(json.dumps({"fire": "mytag", "data": {"message": "hello, minion"}}).encode() + b"\n")
print(bus.makefile().readline().strip())
