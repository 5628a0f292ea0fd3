"""Language models: the port, an endpoint, a scripted double, and what wraps a model.

Imports of Parley only `bus.entries`, and how `memory` counts and clips text. Start at `model_port`.
"""
