"""HTTP/1.1 below the framework: what every request and every connection passes."""
