"""One session as this process takes part in it: live memory, a seat, the clock of the log.

Imports `cache`. Start at `room`; `log_port` says where the log is.
"""
