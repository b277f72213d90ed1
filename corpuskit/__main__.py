"""``python -m corpuskit``: the command line."""

from corpuskit.cli import main

if __name__ == "__main__":
    main()
