"""A little spoken talk, with what people say when they mean nothing by it."""

from __future__ import annotations

WARMING_UP = (
    ("Mia", "Okay."),
    ("Jon", "Um so I had a look at the, uh, the shed on Sunday."),
    ("Mia", "Mm-hmm."),
    ("Jon", "And the roof, um, it's it's letting water in."),
    ("Lea", "Yeah."),
    ("Mia", "Right."),
    ("Lea", "Uh I saw that too, um, by the door."),
    ("Jon", "Yeah."),
    ("Mia", "Uh-huh."),
    ("Jon", "Er and it smells a bit, um, of old paint."),
    ("Lea", "Hmm."),
    ("Mia", "Okay."),
)
WINDING_DOWN = (
    ("Jon", "Yeah."),
    ("Mia", "Yeah that's a good idea."),
    ("Jon", "Um there's one in the van."),
    ("Lea", "Okay."),
    ("Mia", "Right."),
    ("Jon", "Mm."),
    ("Lea", "Yeah."),
)
DECIDED = (
    ("Mia", "So we are going to use the green paint and the two brushes."),
    ("Jon", "Yeah."),
    ("Lea", "Okay."),
    ("Mia", "And so we are going to have the small ladder and the big table."),
    ("Jon", "Good."),
    ("Lea", "Right."),
)
