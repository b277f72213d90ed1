"""Widgets of linguistics: concordance and explorer."""
