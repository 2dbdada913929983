"""The algorithms that learn, one file each, and the parts they share."""
