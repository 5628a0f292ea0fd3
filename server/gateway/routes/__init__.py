"""The routes, a module a subject; each is a door to what the packages above can do."""
