"""The fold: one record changes the memory it owns, and what memory is then due.

Imports every room of the domain, and none of those that only read. Start at `apply`, then
`messages`.
"""
