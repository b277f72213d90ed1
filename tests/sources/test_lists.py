from corpuskit.sources.lists import ListedUrl, read_url_list

LINES = [
    "# a list\n",
    "1\thttp://a.example/x\n",
    "2\thttps://web.archive.org/web/20200102030405/http://b.example/y\t20200101\n",
    "3\thttps://web.archive.org/web/20190102030405id_/https://c.a.example/z\n",
    "4\thttp://a.example/x\n",
    "http://d.example/\n",
    "no url\n",
]


def test_lists_of_urls_lose_the_archive_and_what_stands_twice():
    assert list(read_url_list(LINES)) == [
        ListedUrl("http://a.example/x", "1"),
        ListedUrl("http://b.example/y", "2", "20200101"),
        ListedUrl("https://c.a.example/z", "3", "20190102030405"),
        ListedUrl("http://d.example/"),
    ]


def test_only_wanted_domains_are_given():
    found = read_url_list(LINES, domains=["a.example"])
    assert [listed.url for listed in found] == ["http://a.example/x", "https://c.a.example/z"]
