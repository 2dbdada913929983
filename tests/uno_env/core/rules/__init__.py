"""One file per chapter of GUIDE.md, each test named after the paragraph it tests."""
