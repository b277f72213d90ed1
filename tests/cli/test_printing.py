"""Tables on the terminal."""

import pandas as pd

from corpuskit.cli.printing import print_frame


def test_a_long_message_leaves_an_address_its_room(capsys):
    address = "https://news.example/2026/11/a-long-address-of-a-page"
    print_frame(
        "Failures", pd.DataFrame({"uri": [address], "stage": ["extract"], "message": ["there are many: " * 50]})
    )
    first = capsys.readouterr().out.splitlines()[3]
    assert len(first.split("│")[0].rstrip()) >= 25
