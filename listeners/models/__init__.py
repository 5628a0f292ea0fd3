"""Language models: the port, endpoints, a scripted double, and what calls cost."""
