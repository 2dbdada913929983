"""The policies that come with the package, and how they are found by name."""
