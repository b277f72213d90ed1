"""A full disk: a small file system in memory, where the system allows to mount one."""

import subprocess
import sys

import pytest

import corpuskit
from corpuskit.errors import CorpusError

PAGE = "<html><head><title>{0}</title></head><body><p>{1}</p></body></html>"


@pytest.fixture
def small_disk(tmp_path):
    if not sys.platform.startswith("linux"):
        pytest.skip("mounts a file system in memory")
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", disk], capture_output=True, check=False)
    if mounted.returncode:
        pytest.skip("may not mount a tmpfs")
    yield disk
    subprocess.run(["umount", "--lazy", disk], check=False)


@pytest.mark.slow
def test_a_full_disk_is_a_clear_error_and_loses_nothing_that_was_reported(small_disk, tmp_path):
    pages = tmp_path / "pages"
    pages.mkdir()
    for i in range(120):
        (pages / f"{i:03d}.html").write_text(PAGE.format(i, f"word{i} " * 8000), "utf-8")
    corpus = corpuskit.open(small_disk / "c")
    corpus.add(pages / "00[0-4].html", progress=False)  # the workers have begun: originals alone fill no disk
    with pytest.raises(CorpusError, match="disk is full"):
        for _ in range(3):
            corpus.add(pages, progress=False)
            if corpus.failures().message.str.contains("No space left").any():
                raise CorpusError("the disk is full, told as failure rows")
    reported = corpus.documents()
    assert 5 <= len(reported) < 120
    for row in reported.itertuples():
        assert f"word{int(row.title)}" in corpus[row.doc_id].to_text()
    corpus.close()
    subprocess.run(["mount", "-o", "remount,size=200m", small_disk], check=True)
    roomy = corpuskit.open(small_disk / "c")
    roomy.add(pages, progress=False)
    roomy.extract_pending()
    assert len(roomy) == 120
    assert len(roomy.failures()) == 0
    roomy.close()


def test_labels_on_a_full_disk_are_refused_loudly(small_disk):
    corpus = corpuskit.open(small_disk / "c")
    filler = (small_disk / "filler").open("wb", buffering=0)
    with pytest.raises(OSError, match="No space left"):
        while filler.write(bytes(4096)):
            pass
    filler.close()
    with pytest.raises(CorpusError, match=r"disk is full|could not be saved"):
        for i in range(2000):
            corpus.set_labels({f"http://a.example/{i}": "relevant"}, by="me", kind="url")
    corpus.close()


def test_a_read_only_corpus_is_a_clear_error(small_disk):
    corpuskit.open(small_disk / "c").close()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    with pytest.raises((CorpusError, OSError)):
        corpuskit.open(small_disk / "c").set_labels({"http://a.example/": "relevant"}, by="me", kind="url")


def test_a_backup_on_a_full_disk_says_what_to_do_and_leaves_nothing(small_disk, tmp_path):
    with corpuskit.open(tmp_path / "c") as corpus:
        for i in range(4):
            (tmp_path / f"{i}.txt").write_text("".join(f"{i} {j * 7919 % 1000003} " for j in range(150_000)), "utf-8")
        corpus.add(*(tmp_path / f"{i}.txt" for i in range(4)), progress=False)
        with pytest.raises(CorpusError, match=r"backup .* cannot be written \(No space left .* free some space"):
            corpus.backup(small_disk / "copy")
        assert list(small_disk.iterdir()) == []


def test_a_model_that_cannot_be_saved_says_what_to_do_and_the_one_before_stays(tmp_path, monkeypatch):
    import errno

    from corpuskit.relevance.corpus_model import CorpusModel

    for name, text in {"sea": "fish boat harbour wave", "tax": "law duty levy office"}.items():
        for i in range(6):
            (tmp_path / f"{name}{i}.txt").write_text(f"{text} {name}{i}", "utf-8")
    with corpuskit.open(tmp_path / "c") as corpus:
        corpus.add(tmp_path / "*.txt", progress=False)
        labels = {f"{name}{i}.txt": label for name, label in (("sea", "relevant"), ("tax", "other")) for i in range(4)}
        corpus.set_labels(labels, by="me")
        before = corpus.train().version
        saved = CorpusModel.save

        def save(model, folder):
            saved(model, folder)
            raise OSError(errno.ENOSPC, "No space left on device")

        monkeypatch.setattr(CorpusModel, "save", save)
        with pytest.raises(CorpusError, match=r"the model cannot be written \(No space left .* free some space"):
            corpus.train()
        assert corpus.model().version == before
        assert [path.name for path in (tmp_path / "c" / "models").iterdir()] == [before]
