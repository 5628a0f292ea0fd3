"""What commands and servers run on: a bus, pattern packs, workers, models, the signing secret,
and how it all stands.

May import settings and basics. Start with `backend` (a bus, packs and one reader), then
`connection`.
"""
