import pytest

INSURANCE = "insurance premium claim policy cover damage"
GARDEN = "garden flower tomato soil rain seed"
ROCKET = "rocket orbit moon launch engine satellite"


class Told(list):
    """Writes pages into a folder, and what each is about."""

    def __init__(self, folder):
        self.folder = folder

    def write(self, subject, name, words, *, lang="en"):
        """A page with three of the words more often than the others."""
        some = words.split()
        number = len(self)
        more = " ".join(some[(number + i) % len(some)] for i in range(3))
        text = f"The {words} and the {more} of the {number}th day is what this is about and was."
        self.folder.mkdir(exist_ok=True)
        (self.folder / f"{name}.html").write_text(
            f"<html lang={lang}><head><title>{subject} {number}</title></head><body><h1>{subject} {number}</h1><p>{text}</p></body></html>",
            "utf-8",
        )
        self.append(subject)


@pytest.fixture
def pages(tmp_path):
    return Told(tmp_path / "pages")


@pytest.fixture
def three(add_once, pages):
    """A corpus of three subjects: 12 pages of insurance, 10 of gardens, 8 of rockets."""
    for subject, words, n in (("insurance", INSURANCE, 12), ("garden", GARDEN, 10), ("rocket", ROCKET, 8)):
        for i in range(n):
            pages.write(subject, f"{subject}{i:02}", words)
    return add_once("three-subjects", pages.folder)


@pytest.fixture
def subject_of(three):
    """doc_id → what the page is about, from its name."""

    def of(doc_id):
        documents = three.documents()
        return documents.set_index("doc_id").loc[doc_id, "title"].split()[0]

    return of
