import io
import os
import subprocess
import sys
import threading

import pytest
import zstandard

import corpuskit
from corpuskit.errors import CorpusBusyError, CorpusError
from corpuskit.store.packs import Pack, PackWriter

PAGE = "<html><head><title>Page {0}</title></head><body><nav><a href='/x'>menu</a></nav><p>The text of page {0}.</p></body></html>"


@pytest.fixture
def filled(add_once, tmp_path):
    folder = tmp_path / "pages"
    folder.mkdir()
    for i in range(30):
        (folder / f"{i:02d}.html").write_text(PAGE.format(i))
    return add_once("pages-to-pack", folder)


def frames(corpus):
    return {doc_id: corpus[doc_id].to_frame().to_json() for doc_id in corpus.documents()["doc_id"]}


def files(corpus):
    folder = corpus._folder.documents.path
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_a_packed_corpus_reads_as_before_and_is_unpacked_to_the_same_files(filled):
    before, loose = frames(filled), files(filled)
    assert filled.pack() == 30
    assert list(files(filled)) == ["_packs_/00000001.nlp.txt.zst"]
    assert frames(filled) == before
    assert filled.check() == []
    assert len(filled.elements()) == sum(filled.documents()["elements"])
    assert filled.unpack() == 30
    assert files(filled) == loose
    assert filled.pack() == 30
    assert filled.pack() == 0


def test_a_pack_is_a_zstandard_file_of_the_texts(filled):
    texts = sorted(content for name, content in files(filled).items() if name.endswith(".nlp.txt"))
    filled.pack()
    (content,) = files(filled).values()
    plain = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content), read_across_frames=True).read()
    assert len(plain) == sum(map(len, texts))
    assert all(text in plain for text in texts)


def test_new_documents_stand_beside_packs_and_go_into_the_next(filled, tmp_path):
    filled.pack()
    (tmp_path / "more.html").write_text(PAGE.format("more"))
    filled.add(tmp_path / "more.html", progress=False)
    assert len(frames(filled)) == 31
    assert filled.pack() == 1
    assert len(files(filled)) == 2
    assert len(frames(filled)) == 31


def test_a_document_written_again_comes_before_the_packed_one(filled):
    filled.pack()
    row = filled._folder.catalog.rows("SELECT * FROM documents LIMIT 1")[0]
    from corpuskit.document import from_nlptext
    from corpuskit.store.documents import write_document

    document = filled[row["doc_id"]]
    document = from_nlptext(
        b"## NLPTextDocument Title new\n## NLPTextDocument Uri u\n## NLPTextDocument Timestamp 2020-01-02T03:04:05\nnew text\n"
    )
    write_document(filled._folder.documents, row["path"], document)
    assert filled[row["doc_id"]].to_text() == "new text"
    filled.pack()
    assert filled[row["doc_id"]].to_text() == "new text"


def test_a_removed_document_leaves_no_text_in_the_packs(filled):
    filled.pack()
    doc_id = filled.documents()["doc_id"][3]
    text = filled[doc_id].to_text()
    filled.remove([doc_id], reason="asked to")
    (content,) = files(filled).values()
    plain = zstandard.ZstdDecompressor().stream_reader(io.BytesIO(content), read_across_frames=True).read().decode()
    assert text.splitlines()[-1] not in plain
    assert len(frames(filled)) == 29
    assert filled.check() == []


@pytest.mark.slow
def test_documents_can_be_read_all_the_while(filled):
    doc_ids = filled.documents()["doc_id"].tolist()
    failures, stop = [], threading.Event()

    def read():
        reader = corpuskit.open(filled.path)
        while not stop.is_set():
            for doc_id in doc_ids:
                try:
                    document = reader[doc_id]
                    assert not all(document.table.main)  # its marks came with it
                except Exception as error:
                    failures.append(error)
        reader.close()

    threads = [threading.Thread(target=read) for _ in range(2)]
    for thread in threads:
        thread.start()
    for _ in range(8):
        filled.pack()
        filled.unpack()
    stop.set()
    for thread in threads:
        thread.join()
    assert failures == []


def test_two_packers_at_once_are_one_too_many(filled):
    with filled._folder.pack_lock(), pytest.raises(CorpusBusyError, match=f"process {os.getpid()}"):
        corpuskit.open(filled.path).pack()
    assert filled.pack() == 30


@pytest.mark.parametrize("damage", ["cut", "footer", "frame", "empty"])
def test_a_damaged_pack_is_told_and_found_by_check(filled, damage):
    filled.pack()
    (file,) = (filled._folder.documents.path / "_packs_").iterdir()
    content = bytearray(file.read_bytes())
    if damage == "cut":
        del content[-100:]
    elif damage == "footer":
        content[-1] ^= 1
    elif damage == "frame":
        content[30:200] = b"\0" * 170
    else:
        content.clear()
    file.unlink()
    file.write_bytes(bytes(content))
    from corpuskit.store.packs import close_packs

    close_packs()
    problems = filled.check()
    assert problems
    assert all("documents/_packs_" in problem.message for problem in problems)


@pytest.mark.parametrize("path", ["../x", "/etc/x", "a/../../x", "a//b", "", "a\0b", "c:x", "a\\b"])
def test_a_path_that_leads_out_of_the_folder_is_refused(tmp_path, path):
    file = tmp_path / "x.nlp.txt.zst"
    with PackWriter(file) as writer:
        writer.add(path, b"text", None)
    with Pack(file) as pack, pytest.raises(CorpusError, match="paths"):
        pack.paths()


def test_an_unfinished_pack_leaves_nothing(tmp_path):
    with pytest.raises(RuntimeError), PackWriter(tmp_path / "x.nlp.txt.zst") as writer:
        writer.add("a", b"text", None)
        raise RuntimeError
    assert list(tmp_path.iterdir()) == []


def test_a_folder_with_the_name_of_a_pack_is_passed_over(filled):
    (filled._folder.documents.path / "_packs_" / "00000001.nlp.txt.zst").mkdir(parents=True)
    before = frames(filled)
    assert filled.pack() == 30
    assert frames(filled) == before


@pytest.mark.slow
def test_the_command_packs_and_unpacks(filled):
    code = "import sys; from corpuskit.cli import main; sys.argv = ['corpuskit', *sys.argv[1:]]; main()"
    run = [sys.executable, "-c", code]
    result = subprocess.run([*run, "pack", filled.path], capture_output=True, text=True, check=True)
    assert result.stdout == "30 documents packed\n"
    result = subprocess.run([*run, "pack", "--undo", filled.path], capture_output=True, text=True, check=True)
    assert result.stdout == "30 documents unpacked\n"
