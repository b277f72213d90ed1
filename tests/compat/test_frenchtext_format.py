import numpy as np
import pandas as pd
import pytest
from export_items import item_of

from corpuskit.compat.formats import frenchtext
from corpuskit.compat.formats.frenchtext import FrenchtextWriter
from corpuskit.document import DocumentBuilder
from corpuskit.export import ExportOptions


def export(folder, shuffle):
    folder.mkdir()
    writer = FrenchtextWriter(folder, ExportOptions(shuffle=shuffle))
    for number in range(1, 61):
        builder = DocumentBuilder(f"page {number}", f"http://h{number > 40}.example/{number}")
        builder.add_text_block("on every page")
        builder.add_text_block(f"text {number} has five words")
        writer.write(item_of(builder.build(), number, host=f"h{number > 40}.example"))
    writer.close()
    return pd.read_feather(folder / "frenchtext" / "hFalse.example.dataset.feather")


def test_rows_are_unique_and_in_the_order_of_the_documents_unless_they_are_shuffled(tmp_path):
    frame = export(tmp_path / "a", None)
    assert frame.Text.tolist()[:5] == [
        "page 1",
        "on every page",
        "text 1 has five words",
        "page 2",
        "text 2 has five words",
    ]
    assert len(frame) == 81
    assert frame.DocEltType.tolist()[:3] == ["Document", "TextBlock", "TextBlock"]
    assert frame.NestingLevel.tolist()[:3] == [0, 1, 1]


def test_the_seed_decides_the_order_and_the_size_of_buckets_does_not(tmp_path, monkeypatch):
    one, two = export(tmp_path / "one", 1), export(tmp_path / "two", 2)
    assert one.Text.tolist() != two.Text.tolist()
    assert sorted(one.Text) == sorted(two.Text)
    monkeypatch.setattr(frenchtext, "_BUCKET", 10)
    monkeypatch.setattr(frenchtext, "_BATCH", 7)
    pd.testing.assert_frame_equal(export(tmp_path / "small", 1), one)
    # No trace of the order of the documents: a rank correlation of 81 shuffled rows is over .4 once in 5,000 cases.
    order = one.DocId.to_numpy().astype(float)
    assert abs(np.corrcoef(order.argsort().argsort(), np.arange(len(order)))[0, 1]) < 0.4


def test_each_site_has_its_files_and_nothing_else_is_left(tmp_path):
    export(tmp_path / "a", 0)
    names = sorted(file.name for file in (tmp_path / "a" / "frenchtext").iterdir())
    assert names == [
        "datasets.csv", "hFalse.example.dataset.feather", "hFalse.example.urls.feather",
        "hTrue.example.dataset.feather", "hTrue.example.urls.feather",
    ]  # fmt: skip
    index = pd.read_csv(tmp_path / "a" / "frenchtext" / "datasets.csv", sep=";")
    assert index.Pages.tolist() == [40, 20]
    assert index.Words.tolist() == [40 * 2 + 3 + 40 * 5, 20 * 2 + 3 + 20 * 5]
    urls = pd.read_feather(tmp_path / "a" / "frenchtext" / "hTrue.example.urls.feather")
    assert urls.Words.tolist() == pytest.approx([10] * 20)
