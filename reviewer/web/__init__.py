"""The same app in a browser, behind one secret link for each rater."""
