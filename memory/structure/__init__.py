"""Finding proposals and decisions by what follows them, not by their words alone.

    wording ──► window ──► evidence ──► scorecard ──► hindsight
    a line's    the lines  votes and    integers,     items, born at the line,
    own form    in reach   restatements weights       detected where they were revealed
                           as data

Everything here is a function of the messages in their order; no model, no clock.
"""
