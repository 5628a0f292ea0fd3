"""Counts and times of this process, as Prometheus reads them."""

from __future__ import annotations
