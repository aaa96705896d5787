#!/usr/bin/env python3
"""An execution module of your own in Python: big_files.find.

Any language will do. Called with --describe the program says what it can do; called without, it reads one request from
stdin and writes one answer to stdout. What it writes to stderr is shown when it fails.
"""

import json
import os
import sys

DESCRIPTION = {
    "functions": {
        "find": {
            "doc": "The largest files below a folder.",
            "params": [
                {"name": "folder", "type": "str", "doc": "Where to look."},
                {"name": "count", "type": "int", "default": 5, "doc": "How many to name."},
            ],
            "returns": "a list of path and size, the largest first",
            "examples": ["big_files.find /var/log", "big_files.find /var/log count=10"],
            "timeout": 300,
        }
    }
}


def find(folder, count):
    if not os.path.isdir(folder):
        return {"error": f"there is no folder {folder}"}
    sizes = []
    for parent, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(parent, name)
            try:
                sizes.append((os.lstat(path).st_size, path))
            except OSError:
                pass  # it went away meanwhile
    sizes.sort(key=lambda one: (-one[0], one[1]))
    return {"ret": [{"path": path, "size": size} for size, path in sizes[:count]]}


def main():
    if sys.argv[1:] == ["--describe"]:
        answer = DESCRIPTION
    else:
        request = json.load(sys.stdin)  # {"fun": "find", "args": {"folder": ..., "count": ...}, "context": {...}}
        answer = find(**request["args"])
    json.dump(answer, sys.stdout)


main()
