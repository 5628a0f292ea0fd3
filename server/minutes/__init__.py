"""What a session came to: the digest that commands show, and the page to hand on."""
