"""Traces and metrics for an OpenTelemetry collector: nothing of it is loaded while it is off.

Imports `settings` and the bus' contract. Start at `otlp_export`; `message_tracer` makes the
spans, `semantic_names` has what they are called.
"""
