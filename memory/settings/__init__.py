"""What a session may set, with its defaults and limits, and the presets to start from.

Imports `errors` alone. Start at `session_settings`; the groups of keys are in
`settings_schema`.
"""
