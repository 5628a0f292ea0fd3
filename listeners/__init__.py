"""Whatever listens to the bus and acts: workers, agents, and sessions as programs hold them.

Imports `bus`, `memory` and `personas`. Start at `sessions.session` (programs import
`Session` and `SessionClient` from `parley`), or at `workers.worker`.
"""
