"""Pages about floods and bread for tests of the command line."""

PAGE = "<html><head><title>{0}</title></head><body><p>About {0} and what an insurer says of it.</p></body></html>"
FLOOD = {"flood", "water", "river", "rain", "storm"}


def side_of(title):
    """Return the right label of a page of the corpus ``trained``."""
    return "relevant" if FLOOD & set(title.split()) else "other"
