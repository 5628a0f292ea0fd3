"""Files of talk in posts, three of each kind, written for the tests; the last of each is hostile.

Hostile files hold what looks like speakers and is none: bold words, nested lists, pasted
logs, and rulers within fences of code.
"""

from __future__ import annotations

import json
from typing import Any, Final, NamedTuple

RULER: Final = "-" * 80


class Sample(NamedTuple):
    """A file, what it is read as, and who says what: the first words of each message."""

    format: str
    text: str
    turns: tuple[tuple[str, str], ...]
    bots: tuple[str, ...] = ()


BOARD_FIELDS: Final = """\
# Greenhouse board

Append only. Agents: ana, bo

---

**From:** ana
**To:** bo
**Date:** 2026-03-01 09:00
**Subject:** Seeds

I propose that we plant beans.

- **Cost:** low

---

**From:** bo → ana
**Date:** 2026-03-01 09:20

Agreed, with one change:

---

plant them in April.

---

author: cy
date: 2026-03-02

Fine by me.
"""
BOARD_FRONT: Final = """\
---
agent: planner
time: 2026-03-01T09:00:00Z
type: PROPOSAL
---
Split the beds in two.

---
agent: digger
time: 2026-03-01T09:05:00Z
type: CLAIM
---
I take the left one.

---
agent: planner
time: 2026-03-01T09:06:00Z
---
Good.
"""
BOARD_HOSTILE: Final = """\
# Agent chat: ANA and BO

Each message: `### [AGENT] — YYYY-MM-DD HH:MM UTC`.

---

## Thread: watering

### [ANA] — 2026-03-01 09:00 UTC

**Latency:** the pump answers in 20 ms.
**Timestamp:** 2026-03-01 08:59

1. Outer
   - **Risk:** it leaks
     - Owner: nobody
   - Bo: is not speaking here

```
### [CY] — 2026-03-01 08:00 UTC

---
From: dan
To: eve
```

---

### Findings

All in all I propose the new pump.

---

### [BO] — 2026-03-01 09:30 UTC

2026-03-01 09:10:00 INFO pump: started
ERROR: valve 3 stuck
From: valve@example.org

Agreed.

---

### [ANA] — 2026-03-01 09:40 UTC

### Release (2026-03-04)

Done.

---

## How to use this board

Write below.
"""
CONSOLE_OLD: Final = f"""\
user_proxy (to chat_manager):

How many beans per bed?

{RULER}

Next speaker: gardener

gardener (to chat_manager):

I would say **forty**.

```python
print(4 * 10)
```

{RULER}

Next speaker: executor


>>>>>>>> EXECUTING CODE BLOCK 0 (inferred language is python)...
executor (to chat_manager):

exitcode: 0 (execution succeeded)
Code output: 40


{RULER}

Next speaker: gardener

gardener (to chat_manager):

TERMINATE

{RULER}
"""
CONSOLE_NEW: Final = """\
---------- user ----------
Write a line about beans.
---------- writer ----------
Beans climb.
[Prompt tokens: 20, Completion tokens: 4]
---------- writer ----------
[FunctionCall(id='1', arguments='{}', name='count')]
---------- critic ----------
APPROVE

---

on the whole.
---------- Summary ----------
Number of messages: 4
Finish reason: done
"""
CONSOLE_HOSTILE: Final = f"""\
\x1b[33mboss\x1b[0m (to writer):

Compare **Latency:** and **Cost:** of the pumps.

{RULER}
\x1b[33mwriter\x1b[0m (to boss):

Here is what I found:

1. Pumps
   - **Speed**: fast
     - Note (to self): check
     - Bo: left over

Note (to self):

```text
{RULER}
critic (to boss):

this was pasted
{RULER}
---------- intruder ----------
```

---

INFO: pump started
ERROR (to stderr): none

{RULER}
Latency (to p99):

twenty milliseconds

{RULER}
\x1b[33mboss\x1b[0m (to writer):

Take the first.
```python
print(1)

{RULER}
\x1b[33mwriter\x1b[0m (to boss):

```python
print(2)
```

{RULER}
"""
GITHUB_EXPORT: Final = """\
# Which beans? #12

## Original Post

**Author:** @ana
**Created:** 2026-03-01T09:00:00Z

---

I propose runner beans.

## Comments (2)

### Comment 1

**Author:** @bo
**Created:** 2026-03-01T10:00:00Z

Too tall. What about **bush** beans?

#### Reply 1

**Author:** @ana

Fine.

### Comment 2

**Author:** @lint-robot[bot]

All checks passed.
"""
GITHUB_PIPE: Final = """\
title:\tWhich beans?
state:\tOPEN
author:\tana
labels:\t
comments:\t2
number:\t12
--
I propose runner beans.
--
author:\tbo
association:\tmember
edited:\tfalse
status:\tnone
--
Too tall.

--
author:\tana
association:\tauthor
edited:\ttrue
status:\tnone
--
Fine.
"""
GITHUB_HOSTILE: Final = """\
# [#7](https://example.org/7) `open`: Pump

#### <img src="https://example.org/a.png" width="50">[ana](https://example.org/ana) opened issue at [2026-03-01 09:00](https://example.org/7):

## Summary

**Latency:** 20 ms
- **Steps**
  - **Bo** commented on the old one
    1. Cy: nothing

**Dan** said it works. eve approved these changes.

> **bo** commented on May 3, 2025
>
> quoted

```
#### [cy](https://example.org/cy) commented at [2026-03-01 09:30](https://example.org/7):
---
author:\tdan
--
```

#### <img src="https://example.org/b.png" width="50">[bo](https://example.org/bo) commented at [2026-03-01 10:00](https://example.org/7#1):

---
2026-03-01 09:10:00 INFO pump: started
ERROR: stuck
---

I agree.
"""  # noqa: E501
CHATDEV_NOW: Final = """\
[2026-23-02 09:00:00 INFO] **[Preprocessing]**

**ChatDev Starts** (20260223090000)

**Timestamp**: 20260223090000

**task_prompt**: Plan a garden.

**project_name**: Garden

[2026-23-02 09:00:01 INFO] flask app.py did not start for online log
[2026-23-02 09:00:01 INFO] System: **[chatting]**

| Parameter | Value |
| --- | --- |
| **assistant_role_name** | Chief Product Officer |
| **user_role_name** | Chief Executive Officer |
| **phase_name** | DemandAnalysis |

[2026-23-02 09:00:02 INFO] Chief Executive Officer: **[Start Chat]**

[You are Chief Product Officer.
Here is a new customer's task: Plan a garden.]

Which kind of garden do we want?

[2026-23-02 09:00:04 INFO] **[OpenAI_Usage_Info Receive]**
prompt_tokens: 397
cost: $0.001

[2026-23-02 09:00:05 INFO] Chief Product Officer: **Chief Product Officer<->Chief Executive Officer on : DemandAnalysis, turn 0**

[You are Chief Executive Officer.]

I propose a kitchen garden.

[2026-23-02 09:00:06 INFO] **[Seminar Conclusion]**:

 a kitchen garden
"""  # noqa: E501
CHATDEV_OLD: Final = """\
[2026-25-02 20:10:30 INFO] AgentTech Starts (20260225)

[2026-25-02 20:10:31 DEBUG] message='Request to OpenAI API' method=post
[2026-25-02 20:10:32 INFO] [0] AI Assistant (Chief Product Officer):

<INFO> Kitchen garden.

[2026-25-02 20:10:32 INFO] [0] AI Assistant (Chief Product Officer) terminated the chat.

[2026-25-02 20:10:36 INFO] [0] AI User (Counselor):

Good.
"""
CHATDEV_HOSTILE: Final = """\
[2026-23-02 09:00:00 INFO] System: **[RolePlaying]**

| Parameter | Value |
| --- | --- |
| **assistant_role_name** | Programmer |
| **user_role_name** | Code Reviewer |

[2026-23-02 09:00:05 INFO] Code Reviewer: **Programmer<->Code Reviewer on : CodeReview, turn 0**

**Latency:** too high
1. Modules
   - **Timestamp**: wrong
     - System: **[none]**

```
[2026-23-02 09:00:06 INFO] Tester: **Tester<->Programmer on : Test, turn 0**

---
```
Seen just now:
[2026-23-02 08:59:00 ERROR] pump failed
ERROR: stuck

---

Please repair it.

[2026-23-02 09:00:07 INFO] Programmer: **Programmer<->Code Reviewer on : CodeReview, turn 1**

Repaired.
"""
LIST_PLAIN: Final[Any] = [
    {"agent": "ana", "message": "I propose beans.", "timestamp": "2026-03-01T09:00:00Z"},
    {"agent": "bo", "message": "+1"},
    {"agent": "runner", "role": "tool", "message": "soil: 12 C"},
]
LIST_NESTED: Final[Any] = {
    "result": {
        "conversation": [
            {"speaker": "ana", "text": "I propose beans."},
            {"speaker": "bo", "text": "No: peas."},
            {"speaker": "ana", "text": "Fine."},
        ]
    }
}
LIST_HOSTILE: Final[Any] = {
    "title": "Pumps",
    "history": [
        {"role": "system", "content": "You are gardeners."},
        {"author": {"name": "ana"}, "content": "**Latency:** 20 ms\n\n---\nBo: pasted\n---"},
        {"name": "executor", "content": "exitcode: 0 (execution succeeded)\nINFO: started"},
        {"author": "bo", "content": [{"type": "text", "text": "- **Cy:** no\n  - Dan: no"}]},
    ],
}  # fmt: skip


def _notebook(*outputs: Any) -> str:
    cells: list[Any] = [{"cell_type": "markdown", "source": ["# Beans\n", "**Ana:** not talk\n"]}]
    cells += [{"cell_type": "code", "source": ["chat()"], "outputs": [o]} for o in outputs]
    return json.dumps({"cells": cells, "metadata": {}, "nbformat": 4})


def _stream(text: str) -> Any:
    return {"output_type": "stream", "name": "stdout", "text": text.splitlines(keepends=True)}


NOTEBOOK_OLD: Final = _notebook(_stream("Requirement already satisfied\n"), _stream(CONSOLE_OLD))
NOTEBOOK_NEW: Final = _notebook(
    {"output_type": "execute_result", "data": {"text/plain": "TaskResult(messages=[])"}},
    _stream(CONSOLE_NEW),
)
NOTEBOOK_HOSTILE: Final = _notebook(
    {"output_type": "stream", "name": "stderr", "text": "ghost (to boss):\n\nboo\n"},
    _stream("Latency: 20\n---\nINFO: started\n"),
    {"output_type": "error", "traceback": ["ValueError: x"]},
    _stream(CONSOLE_HOSTILE),
)
_OLD_TURNS: Final = (
    ("user_proxy", "How many beans"), ("gardener", "I would say"), ("executor", "exitcode: 0"),
    ("gardener", "TERMINATE"),
)  # fmt: skip
_NEW_TURNS: Final = (
    ("user", "Write a line"), ("writer", "Beans climb."), ("critic", "APPROVE\n\n---"),
)  # fmt: skip
_HOSTILE_TURNS: Final = (
    ("boss", "Compare **Latency:**"), ("writer", "Here is what I found"),
    ("boss", "Take the first"), ("writer", "```python\nprint(2)"),
)  # fmt: skip
POST_SAMPLES: Final[dict[str, Sample]] = {
    "board fields": Sample("board", BOARD_FIELDS, (
        ("ana", "I propose that we"), ("bo", "Agreed, with one change:\n\n---\n\nplant"),
        ("cy", "Fine by me."),
    )),
    "board front": Sample("board", BOARD_FRONT, (
        ("planner", "type: PROPOSAL\nSplit"), ("digger", "type: CLAIM\nI take"),
        ("planner", "Good."),
    )),
    "board hostile": Sample("board", BOARD_HOSTILE, (
        ("ANA", "**Latency:** the pump"), ("BO", "2026-03-01 09:10:00 INFO"), ("ANA", "### Rel"),
    )),
    "console old": Sample("autogen-console", CONSOLE_OLD, _OLD_TURNS, ("executor",)),
    "console new": Sample("autogen-console", CONSOLE_NEW, _NEW_TURNS),
    "console hostile": Sample("autogen-console", CONSOLE_HOSTILE, _HOSTILE_TURNS),
    "notebook old": Sample("notebook", NOTEBOOK_OLD, _OLD_TURNS, ("executor",)),
    "notebook new": Sample("notebook", NOTEBOOK_NEW, _NEW_TURNS),
    "notebook hostile": Sample("notebook", NOTEBOOK_HOSTILE, _HOSTILE_TURNS),
    "github export": Sample("github-markdown", GITHUB_EXPORT, (
        ("ana", "I propose runner"), ("bo", "Too tall."), ("ana", "Fine."),
        ("lint-robot[bot]", "All checks"),
    ), ("lint-robot[bot]",)),
    "github pipe": Sample("github-markdown", GITHUB_PIPE, (
        ("ana", "I propose runner"), ("bo", "Too tall."), ("ana", "Fine."),
    )),
    "github hostile": Sample("github-markdown", GITHUB_HOSTILE, (
        ("ana", "## Summary"), ("bo", "2026-03-01 09:10:00 INFO"),
    )),
    "chatdev now": Sample("chatdev", CHATDEV_NOW, (
        ("Chief Executive Officer", "Which kind"), ("Chief Product Officer", "I propose a kitchen"),
    )),
    "chatdev old": Sample("chatdev", CHATDEV_OLD, (
        ("Chief Product Officer", "<INFO> Kitchen"), ("Counselor", "Good."),
    )),
    "chatdev hostile": Sample("chatdev", CHATDEV_HOSTILE, (
        ("Code Reviewer", "**Latency:** too high"), ("Programmer", "Repaired."),
    )),
    "list plain": Sample("speakers", json.dumps(LIST_PLAIN), (
        ("ana", "I propose"), ("bo", "+1"), ("runner", "soil"),
    ), ("runner",)),
    "list nested": Sample("speakers", json.dumps(LIST_NESTED, indent=1), (
        ("ana", "I propose"), ("bo", "No: peas."), ("ana", "Fine."),
    )),
    "list hostile": Sample("speakers", json.dumps(LIST_HOSTILE), (
        ("ana", "**Latency:** 20"), ("executor", "exitcode"), ("bo", "- **Cy:** no"),
    ), ("executor",)),
}  # fmt: skip
