"""Records of what agents did: sessions and responses of model APIs, traces, logs of frameworks.

Start with `model_items` (messages, calls and results of tools in any of their shapes), then
`spans` (steps of a trace, whose calls repeat what was said before).
"""
