"""What the pages of the site hold that is made from the code and from saved figures: tables, plots and pictures."""
