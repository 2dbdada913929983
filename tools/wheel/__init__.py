"""The wheels with compiled code: what they carry is compiled, and they are built."""
