"""Talk that is written as posts: a head that says who, and a body below it, word for word.

May import transcripts.sources and basics. Start with `post_heads` (what a head is, and how posts
are taken); each other module is one format, or the lines of one.
"""
