#!/usr/bin/env python3
"""A runner of your own in Python: oncall.today. Put it into a folder of runner_dirs on the master, then

    natrium-run oncall.today

A runner speaks the same JSON as a module of your own. Its context is jid and caller: who asked, as the gate proved it.
"""

import datetime
import json
import sys

NAMES = ["ada", "grace", "linus"]

DESCRIPTION = {
    "functions": {
        "today": {
            "doc": "Who answers the telephone today.",
            "params": [{"name": "day", "type": "str", "default": "", "doc": "Such as 2026-11-20; today unless given."}],
            "returns": "the name, the day, and who asked",
            "examples": ["oncall.today", "oncall.today 2026-11-20"],
        }
    }
}


def today(day, context):
    try:
        date = datetime.date.fromisoformat(day) if day else datetime.date.today()
    except ValueError:
        return {"invalid": f"{day} is no day such as 2026-11-20"}
    name = NAMES[date.isocalendar()[1] % len(NAMES)]
    return {"ret": {"day": date.isoformat(), "name": name, "asked_by": context["caller"]["name"]}}


def main():
    if sys.argv[1:] == ["--describe"]:
        answer = DESCRIPTION
    else:
        request = json.load(sys.stdin)
        answer = today(request["args"]["day"], request["context"])
    json.dump(answer, sys.stdout)


main()
