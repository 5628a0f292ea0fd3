"""Written talk: messages that are documents, as language-model agents write them.

units ──► wording ──► cards ──► written_message ──► items.written_items
sentences, words and  weights,  what a message      the ledger
items      form       rules     proposes and says

Reads one message and knows no session; weights and rules are data (`english.json`). Imports
`extraction.patterns` and `text`. Start at `written_message`.
"""
