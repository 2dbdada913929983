"""The algorithms that learn, one file each; :mod:`train.algorithms.parts` has the parts that they own."""
