"""Networks, and the compiled code that fills and reads their arrays."""
