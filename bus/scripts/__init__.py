"""The Lua scripts, one a file: every change of the log and its lanes is one of them.

`lua` reads them for the connections of a process. Imports nothing of Parley.
"""
