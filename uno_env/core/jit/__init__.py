"""The compiler of the core: the only folder that depends on the inside of Numba and LLVM."""
