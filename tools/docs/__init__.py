"""Parts of the site that are made from the code and from saved figures: tables, plots and pictures."""
