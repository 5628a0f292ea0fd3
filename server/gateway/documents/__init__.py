"""The doors' descriptions of themselves: OpenAPI and AsyncAPI."""
