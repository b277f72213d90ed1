def test_queued_urls_are_written_as_seeds_with_their_metadata(corpus, web, tmp_path):
    web.add("http://a.example/", "front", ["/x", "/y"])
    corpus.crawl("http://a.example/", delay=0, pages=1, proxy=web.proxy).wait(progress=False)
    queued = corpus.frontier("queued")
    assert corpus.export_queue(tmp_path / "seeds.txt") == len(queued) == 2
    assert corpus.write_seeds(tmp_path / "as-before.txt") == 2
    assert (tmp_path / "as-before.txt").read_bytes() == (tmp_path / "seeds.txt").read_bytes()
    lines = [line.split("\t") for line in (tmp_path / "seeds.txt").read_text().splitlines()]
    assert [line[0] for line in lines] == queued["url"].tolist()
    assert lines[0][1] == "depth=1"
    assert lines[0][2].startswith("priority=")
