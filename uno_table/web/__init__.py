"""Tables in the browser: a server on this machine, and its pages in plain HTML, CSS and JavaScript."""
