"""What there is to choose from: personas, scenarios and pattern packs, listed, described and
checked.

May import scenarios, transcripts, rows, runtime and below. Each module is one of the three.
"""
