"""Written messages in the ledger: what they propose, whom they answer, what they rule.

written_items ──► answered_turns ──► written_stances
what a message does    what it answers    for, against, neither

Imports `items`, `extraction.writing`, `extraction.patterns`, `state`, `text`. Start at
`written_items.take_written`; `extraction.writing` reads the message itself.
"""
