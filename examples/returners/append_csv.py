#!/usr/bin/env python3
"""A returner of your own in Python: append_csv. Put it into a folder of returner_dirs on a minion, then

    natrium '*' test.ping --return append_csv

It is like a module of your own, with one function `returner` that gets the return as `ret`. It runs on the minion once the
return is on its way to the master; what it answers is for nobody, and what goes wrong is in the agent's log.
"""

import csv
import json
import os
import sys
import time

DESCRIPTION = {
    "functions": {
        "returner": {
            "doc": "Appends each return to returns.csv in the minion's cachedir.",
            "params": [{"name": "ret", "type": "map"}],
            "timeout": 10,
        }
    }
}


def returner(ret, context):
    path = os.path.join(context["config"]["cachedir"], "returns.csv")
    with open(path, "a", newline="") as file:
        row = [int(time.time()), ret["jid"], ret["id"], ret["fun"], ret["retcode"], json.dumps(ret["return"])]
        csv.writer(file).writerow(row)
    return {"ret": True}


def main():
    if sys.argv[1:] == ["--describe"]:
        answer = DESCRIPTION
    else:
        request = json.load(sys.stdin)
        answer = returner(request["args"]["ret"], request["context"])
    json.dump(answer, sys.stdout)


main()
