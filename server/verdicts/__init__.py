"""What an item came to, told once for all who show it: its count, its text, what it rests on.

Pure; may import nothing of server. Start with `tallies`.
"""
