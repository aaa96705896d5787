#!/usr/bin/env python3
"""Fires an event on the master's bus. Usage: emit_master.py SOCKET"""
import json
import socket
import sys

bus = socket.socket(socket.AF_UNIX)
bus.connect(sys.argv[1])  # master_event.sock in the master's sock_dir
bus.sendall(json.dumps({"fire": "mytag", "data": {"message": "hello, master"}}).encode() + b"\n")
print(bus.makefile().readline().strip())
