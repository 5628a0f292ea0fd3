"""How clients come in and look around: tokens and cookies, visits to the page, its files,
health, the catalogue.

May import identity, tokens, bodies, state, transport and the catalogue. Start with
`auth_routes`.
"""
