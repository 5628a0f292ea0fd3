"""Scenarios: whole deliberations written down before they begin, read, bounded, played."""
