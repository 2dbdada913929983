"""One file per section of RULES.md, each test named after the paragraph it tests."""
