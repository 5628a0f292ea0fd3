"""What the talk of the minutes was about, beside its items: topics, shows of hands, documents that
were drawn up, what was put off, sentences that say most. Pure.

May import what minutes may, and `minutes.words`. Start with `topics`.
"""
