"""Files of labels as people, other machines and other processes leave them: what is read, what is told, who wins."""

import hashlib
import json

import pytest

from corpuskit.errors import ConfigurationError, CorpusError
from corpuskit.safe_folder import SafeFolder
from corpuskit.store.catalog import Catalog
from corpuskit.store.labels import Label, LabelLog, is_machine


@pytest.fixture
def catalog(tmp_path):
    opened = Catalog(tmp_path / "catalog.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "labels").mkdir()
    return tmp_path / "labels"


@pytest.fixture
def log(folder, catalog):
    return LabelLog(SafeFolder(folder), catalog)


def row(**changes):
    return {"target": "d1", "kind": "document", "label": "relevant", "by": "ben", "when": "2026-03-09"} | changes


def write(folder, *rows, name="ben.jsonl"):
    with (folder / name).open("ab") as file:
        file.write(b"".join(line if isinstance(line, bytes) else json.dumps(line).encode() + b"\n" for line in rows))


def failures(catalog):
    return {found["uri"]: found["message"] for found in catalog.rows("SELECT uri, message FROM failures")}


def test_what_is_said_is_given_back_with_its_note_and_version(log):
    said = [("d1", "document", " relevant "), ("b.example", "host", "x" * 64)]
    assert log.add(said, by="anna", note={"d1": "clear"}, versions={"d1": 3}) == 2
    first, second = log.current()
    assert first == Label("d1", "document", "relevant", "anna", first.when, "clear", 3)
    assert second == Label("b.example", "host", "x" * 64, "anna", first.when, None, None)
    assert log.current("host") == [second]
    assert log.current("url") == []


def test_a_label_is_on_the_disk_and_readable_in_an_editor_when_add_comes_back(log, folder, monkeypatch):
    synced = []
    monkeypatch.setattr("corpuskit.store.labels.os.fsync", synced.append)
    log.add([("d1", "document", "Bücher")], by="Zoë")
    assert len(synced) == 1
    (file,) = folder.iterdir()
    assert '"label": "Bücher", "by": "Zoë"' in file.read_text("utf-8")


def test_nothing_said_writes_no_file(log, folder):
    assert log.add([], by="anna") == 0
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize(("by", "kind", "told"), [(" ", "document", "by=' '"), ("anna", "page", "kind 'page'")])
def test_an_annotator_without_a_name_and_an_unknown_kind_are_refused(log, by, kind, told):
    with pytest.raises(ConfigurationError, match=told):
        log.add([("d1", kind, "relevant")], by=by)
    assert log.current() == []


def test_a_label_replaces_that_of_the_same_annotator_target_and_kind_only(log):
    for target, kind, by in [("a", "host", "anna"), ("a", "url", "anna"), ("b", "host", "anna"), ("a", "host", "ben")]:
        log.add([(target, kind, "relevant")], by=by)
    log.add([("a", "host", "other")], by="anna")
    assert [(label.target, label.kind, label.by, label.label) for label in log.current()] == [
        ("a", "url", "anna", "relevant"),
        ("b", "host", "anna", "relevant"),
        ("a", "host", "ben", "relevant"),
        ("a", "host", "anna", "other"),
    ]


def test_targets_that_had_a_label_before_an_audit_are_known(log):
    log.add([("d1", "document", "relevant"), ("d2", "document", "other")], by="anna")
    log.add([("d1", "document", "withdrawn")], by="anna")
    log.add([("d3", "document", "relevant")], by="anna", note="audit of m2", origin="audit")
    log.add([("d4", "document", "relevant")], by="anna", note="audit of m2", origin="audit")
    log.add([("d5", "document", "relevant")], by="anna", note="audit of m3")
    assert log.targets_before("audit of m2") == {"d1", "d2"}
    assert log.targets_before("audit of m3") == set()


def test_the_later_word_counts_whatever_the_names_of_the_files_are(log, folder):
    write(folder, row(label="other", when="2026-03-09T10"), name="a.jsonl")
    write(folder, row(label="relevant", when="2026-03-09T09"), name="b.jsonl")
    log.refresh()
    assert [label.label for label in log.current()] == ["other"]


@pytest.mark.parametrize(
    ("line", "told"),
    [
        (b"nonsense\n", "Expecting value"),
        (b"[1]\n", "expected an object with target, kind, label, by and when"),
        ({"target": "d1", "kind": "document", "when": "w"}, "missing: label and by"),
        ({"target": "d1", "kind": "document", "by": "b", "when": "w"}, "missing: label"),
        (row(weight=1, sure=2), "unknown names: sure, weight"),
        (row(kind="page"), "a wrong field"),
        (row(target=1), "a wrong field"),
        (row(label=None), "a wrong field"),
        (row(note=["x"]), "a wrong field"),
        (row(version=-1), "a wrong version"),
        (row(version=2**31), "a wrong version"),
        (row(version=True), "a wrong version"),
        (row(version="1"), "a wrong version"),
        (row(target="\ud800"), "surrogates not allowed"),
    ],
)
def test_a_line_that_cannot_be_read_is_told_and_costs_no_other(log, folder, catalog, line, told):
    write(
        folder,
        row(target="d0"),
        line,
        b"  \n",
        row(target="d2", note="n", version=0),
        row(target="d3", version=2**31 - 1),
    )
    assert [(label.target, label.note, label.version) for label in log.current()] == [
        ("d0", None, None), ("d2", "n", 0), ("d3", None, 2**31 - 1),
    ]  # fmt: skip
    (message,) = failures(catalog).values()
    assert message.startswith("line 2 after byte 0 cannot be read: ")
    assert told in message
    assert list(failures(catalog)) == ["labels/ben.jsonl"]


@pytest.mark.parametrize(("length", "is_read"), [(199, True), (200, False), (201, False), (650, False)])
def test_a_line_that_is_too_long_is_passed_over_whole(log, folder, catalog, monkeypatch, length, is_read):
    monkeypatch.setattr("corpuskit.store.labels._MAX_LINE_BYTES", 200)
    line = json.dumps(row(note="")).encode()
    write(
        folder,
        line.replace(b'"note": ""', b'"note": "' + b"n" * (length - 1 - len(line)) + b'"') + b"\n",
        row(target="d2"),
    )
    assert (folder / "ben.jsonl").read_bytes().index(b"\n") == length - 1
    assert [label.target for label in log.current()] == (["d1", "d2"] if is_read else ["d2"])
    assert [message.partition("read: ")[2] for message in failures(catalog).values()] == (
        [] if is_read else ["it has 200 bytes or more"]
    )


def test_a_line_whose_end_has_not_come_waits_for_it(log, folder, catalog):
    line = json.dumps(row(target="d2")).encode()
    write(folder, row(), line[:20])
    assert [label.target for label in log.current()] == ["d1"]
    write(folder, line[20:] + b"\n", b"x\n")
    assert [label.target for label in log.current()] == ["d1", "d2"]
    begin = len(json.dumps(row())) + 1
    assert failures(catalog)["labels/ben.jsonl"].startswith(f"line 2 after byte {begin} cannot be read")


@pytest.mark.parametrize("known", [None, "[", "[1]", '{"ben.jsonl": -1}', '{"ben.jsonl": true}', '{"gone.jsonl": 9}'])
def test_where_nobody_knows_what_was_read_all_is_read_anew(log, folder, catalog, known):
    write(folder, row(), row(target="d2"))
    log.refresh()
    if known is None:  # the file was shortened by hand
        (folder / "ben.jsonl").write_text(json.dumps(row(target="d2")) + "\n", "utf-8")
    else:
        catalog.set_meta("label files", known)
    assert [label.target for label in log.current()] == (["d2"] if known is None else ["d1", "d2"])
    assert catalog.value("SELECT count(*) FROM labels") == (1 if known is None else 2)


def test_a_file_of_labels_that_is_too_large_is_refused(log, folder, monkeypatch):
    write(folder, row())
    size = (folder / "ben.jsonl").stat().st_size
    monkeypatch.setattr("corpuskit.store.labels.MAX_BYTES", size)
    assert len(log.current()) == 1
    monkeypatch.setattr("corpuskit.store.labels.MAX_BYTES", size - 1)
    with pytest.raises(CorpusError, match=f"labels/ben.jsonl: {size} bytes, the limit is {size - 1}"):
        log.current()


@pytest.mark.parametrize(
    ("user", "name"), [("Zoë Müller-1", "Zoë_Müller_1"), ("x" * 41, "x" * 40), ("", "user"), (None, "user")]
)
def test_the_file_is_named_after_the_user_and_a_checksum_of_the_machine(log, folder, monkeypatch, user, name):
    def who():
        if user is None:
            raise OSError("no user")
        return user

    monkeypatch.setattr("getpass.getuser", who)
    monkeypatch.setattr("platform.node", lambda: "tower")
    log.add([("d1", "document", "relevant")], by="anna")
    machine = hashlib.sha256(b"tower").hexdigest()[:8]
    assert [file.name for file in folder.iterdir()] == [f"{name}-{machine}.jsonl"]


def test_machines_are_known_by_how_their_names_begin():
    assert is_machine("machine:gpt")
    assert not is_machine("anna's machine:")
