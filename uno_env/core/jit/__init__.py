"""How the core is compiled: the only folder that depends on the inside of Numba and LLVM."""
