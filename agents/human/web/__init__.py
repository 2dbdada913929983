"""Tables in the browser: a server on this machine, and pages in plain HTML, CSS and JavaScript. Own files only."""
