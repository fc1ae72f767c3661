"""What a site costs to build and to visit, beside a stock Material site with the same questions. `python -m bench`."""
