"""How items and votes are found in talk: by marks and patterns, by structure, by a model.

`patterns` reads one message and knows no session; `structure` weighs lines by what follows
them; `model_claims` keeps what a model read. What becomes of it is for `items` to say.
"""
