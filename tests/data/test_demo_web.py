"""The demo material in data/demo is whole: links, labels, languages, files."""

import csv
import importlib.util
from collections import deque
from pathlib import Path
from urllib.parse import urljoin, urlsplit
from urllib.robotparser import RobotFileParser
from xml.etree import ElementTree

import pytest
from lxml import html

DATA = Path(__file__).parents[2] / "data"
DEMO = DATA / "demo"
WEB = DEMO / "web"
BROKEN = "http://directory.example/timetable-2019.html"
FILES = {path.name for path in (DEMO / "files").iterdir()}


def rows(name):
    with (DEMO / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def url_of(path):
    return "http://" + path.relative_to(WEB).as_posix().removesuffix("index.html")


def file_of(url):
    parts = urlsplit(url)
    path = parts.path or "/"
    return WEB / parts.netloc / (path.lstrip("/") + ("index.html" if path.endswith("/") else ""))


@pytest.fixture(scope="module")
def pages():
    return {url_of(path): html.fromstring(path.read_bytes()) for path in sorted(WEB.rglob("*.html"))}


@pytest.fixture(scope="module")
def links(pages):
    """The links and resources of each page, without fragments."""
    found = {}
    for url, tree in pages.items():
        targets = (urljoin(url, target) for target in tree.xpath("//@href | //@src | //form/@action"))
        found[url] = {target.split("#")[0] for target in targets}
    return found


@pytest.fixture(scope="module")
def truth():
    return {row["url"]: row["label"] for row in rows("truth.csv")}


def seeds():
    return (DEMO / "seeds.txt").read_text(encoding="utf-8").split()


def test_there_are_enough_pages_and_sites(pages):
    assert len(pages) >= 60
    assert len({urlsplit(url).netloc for url in pages}) >= 5


def test_every_host_is_reserved_for_examples(pages):
    assert all(urlsplit(url).netloc.endswith(".example") for url in pages)


def test_every_link_leads_to_a_file_but_for_the_one_declared_broken(links):
    inside = {
        target for targets in links.values() for target in targets if urlsplit(target).netloc.endswith(".example")
    }
    assert {target for target in inside if not file_of(target).is_file()} == {BROKEN}


def test_no_anchor_leads_out_of_the_demo_web(pages):
    targets = {urljoin(url, target) for url, tree in pages.items() for target in tree.xpath("//a/@href")}
    assert all(urlsplit(target).netloc.endswith(".example") for target in targets)


def test_every_fragment_within_a_page_exists(pages):
    missing = {
        (url, target)
        for url, tree in pages.items()
        for target in tree.xpath(
            "//a/@href[starts-with(., '#') and string-length(.) > 1 and not(starts-with(., '#share'))]"
        )
        if not tree.xpath("//*[@id = $name]", name=target[1:])
    }
    assert missing == set()


def test_every_page_is_reached_from_the_seeds(pages, links):
    seen, queue = set(seeds()), deque(seeds())
    while queue:
        for target in links.get(queue.popleft(), ()):
            if target in pages and target not in seen:
                seen.add(target)
                queue.append(target)
    assert seen == set(pages)


def test_every_page_and_file_has_a_truth_row(pages, truth):
    assert set(truth) == set(pages) | FILES


def test_truth_knows_two_labels(truth):
    assert set(truth.values()) == {"relevant", "other"}


def test_labels_agree_with_truth(truth):
    assert [row for row in rows("labels.csv") if truth.get(row["target"]) != row["label"]] == []


def test_no_target_is_labelled_twice():
    targets = [row["target"] for row in rows("labels.csv")]
    assert len(targets) == len(set(targets))


def test_a_first_crawl_meets_at_least_ten_labelled_pages_of_each_class(links):
    near = set(seeds()).union(*(links[seed] for seed in seeds()))
    met = [row["label"] for row in rows("labels.csv") if row["target"] in near]
    assert min(met.count("relevant"), met.count("other")) >= 10


def test_a_third_of_the_pages_is_relevant(pages, truth):
    share = sum(truth[url] == "relevant" for url in pages) / len(pages)
    assert 0.25 <= share <= 0.45


@pytest.mark.parametrize("label", ["relevant", "other"])
def test_both_classes_come_in_two_languages(pages, truth, label):
    assert {tree.get("lang")[:2] for url, tree in pages.items() if truth[url] == label} == {"en", "fr"}


def test_the_printed_terms_have_the_same_bytes_as_the_terms():
    folder = WEB / "riverside-insurance.example" / "contract"
    assert (folder / "terms-print.html").read_bytes() == (folder / "terms.html").read_bytes()


def test_one_page_is_encoded_as_it_declares_in_iso_8859_1():
    page = WEB / "assurance-du-lac.example" / "degats-des-eaux.html"
    assert "charset=iso-8859-1" in page.read_text(encoding="iso-8859-1")
    with pytest.raises(UnicodeDecodeError):
        page.read_text(encoding="utf-8")


def test_the_only_disallowed_page_is_the_saved_quotation(pages):
    robots = RobotFileParser()
    robots.parse((WEB / "riverside-insurance.example" / "robots.txt").read_text(encoding="utf-8").splitlines())
    own = [url for url in pages if urlsplit(url).netloc == "riverside-insurance.example"]
    assert [url for url in own if not robots.can_fetch("corpuskit", url)] == [
        "http://riverside-insurance.example/private/quote.html"
    ]


def test_the_sitemap_lists_its_whole_site(pages):
    tree = ElementTree.parse(WEB / "assurance-du-lac.example" / "sitemap.xml")
    listed = {node.text for node in tree.iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")}
    assert listed == {url for url in pages if urlsplit(url).netloc == "assurance-du-lac.example"}


def test_make_files_makes_the_committed_bytes(tmp_path):
    spec = importlib.util.spec_from_file_location("make_files", DEMO / "make_files.py")
    make_files = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(make_files)
    made = {path.name: path.read_bytes() for path in make_files.make(tmp_path)}
    assert made == {path.name: path.read_bytes() for path in (DEMO / "files").iterdir()}


def test_the_data_folder_stays_small():
    assert sum(path.stat().st_size for path in DATA.rglob("*") if path.is_file()) < 1_500_000
