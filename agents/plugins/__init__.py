"""Plugins: installed Python packages that add to the product, enabled by an administrator."""
