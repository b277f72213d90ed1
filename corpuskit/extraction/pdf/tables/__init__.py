"""Tables: those with drawn rules, and those that only line up."""
