"""Short samples of files that people write: every key and form of a kind, a few in each.

The bundled files are long and alike; of these a reader reads ten in the time of one, and a change
more often hits what has a meaning.
"""

from __future__ import annotations

from typing import Final

SCENARIOS: Final = (
    b"scenario: 1\ntitle: A meeting\nparticipants:\n  - persona: skeptic\nstop: {turns: 10}\n",
    b"""\
scenario: 1
title: Backups
goal: Decide where the backups go.
opening: {by: ines, say: "We lost a disk. What now?", act: ask}
participants:
  - persona: proposer           # of the cast
    as: ana
    budget: {turns: 6, tokens: 9000, cost: 0.5}
people:
  - {name: ines, may: [moderate, vote], weight: 2}
script:
  ana:
    turns:
      - {act: propose, say: "Copy them every night."}
    votes: {P1: accept}
""",
    b"""\
scenario: 1
title: 'Written out'
participants:
  - persona:
      name: ferryman
      description: When boats are spoken of.
      body: |
        You are the ferryman.

        Be short.
      display: The Ferryman
      interests: [boats, "tides: spring"]
      reactivity: .5
      cooldown_turns: 2
    model: small
    eval_model: gpt-x
    may: [propose, oppose, abstain]
    weight: 0
models: {small: a, large: b/c}
""",
    b"""\
scenario: 1
title: Votes
participants: [{persona: ./cast/a.md, as: a}, {persona: skeptic}]
floor: {policy: moderated, moderator_ms: 20000}
speak: {eval_tokens: 900, out: 300}
vote: {rule: ranked, secret: true, quorum: 600, fallback: Nothing changes.}
stop: {any: [{turns: 40}, {decisions: 1}, {all: [{quiescent: true}, {hops: true}]}]}
""",
    b"""\
scenario: 1
title: Money
participants:
- &one {persona: skeptic}
- {<<: *one, as: bo}
budget: {tokens: 600000, cost: 5, calls: ~}
prices:
  small: {input: 0.15, output: 0.6, cached: 0.075}
  large: {input: 2.5, output: 1.0e+1}
memory: {preset: notes, chair: [ines], bots: [ci], summary: {interval: 8}}
""",
    b"""\
scenario: 1
title: >-
  Folded, and
  once more
participants: [{persona: skeptic}]
script:
  skeptic:
    turns:
      - {act: oppose, re: P1, when: [P1], say: "No."}
      - say: |2
           Kept as it is.
    votes: {P1: reject, P2: [b, a]}
    why: Nobody restored one.
""",
)
AGENTS: Final = (
    b"ana:\n  role: tester\n  goal: to test\n  backstory: She tests.\n",
    b"""\
researcher:
  role: >
    {topic} Researcher
  goal: Uncover what is new
  backstory: >
    Twenty years
    of it.
  llm: openai/gpt-4o
  verbose: true
  reasoning:
Report Writer: {role: Writer, goal: Write, backstory: "Short: words."}
""",
    b'[{"name": "Ana", "role": "tester", "goal": "to test", "backstory": "She tests."}]',
    b'{"id": "1", "name": "Ada Ruiz", "role": "engineer", "background": "Two breakwaters.", '
    b'"personality": ["dry", "patient"], "biases": ["concrete"], "strengths": ["tides"], '
    b'"weaknesses": "committees", "speakingStyle": "Short.", "avatar": "ada.png"}',
    b'{"version": 3, "personas": [{"name": "Bo", "description": "Of boats.", "systemPrompt": '
    b'"You are Bo.", "model": "opus", "expertise": ["boats", "rope"]}, {"name": "bo"}]}',
    b'{"agents": {"ada-ruiz": {"role": "a", "tags": ["b"], "background": "\\ud83d\\ude00"}}}',
    b"---\nname: Code Reviewer\ndescription: Reads code\ntools: Read, Grep\nmodel: sonnet\n---\n"
    b"You read code.\n\n## How\n\n- slowly\n",
    b"---\nname: odd\ndescription: Use this: always <example>user: \"hi\"</example>\n"
    b"color: #ff0000\n---\nYou are odd {name}.\n",
    b"---\nname: own\ndescription: d\nparley:\n  interests: [a, b]\n  may: [propose]\n"
    b"  reactivity: 0.25\n---\nText.\n",
)  # fmt: skip
