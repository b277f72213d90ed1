"""The verbs of frenchtext, on an export."""

import pytest
from export_items import item_of

from corpuskit.compat import frenchtext as ft
from corpuskit.compat.formats.frenchtext import FrenchtextWriter
from corpuskit.document import DocumentBuilder
from corpuskit.errors import SourceError
from corpuskit.export import ExportOptions


@pytest.fixture
def folder(tmp_path):
    writer = FrenchtextWriter(tmp_path, ExportOptions(shuffle=None))
    for number in range(1, 5):
        builder = DocumentBuilder(f"page {number}", f"http://h{number > 2}.example/{number}")
        builder.add_text_block(f"Les œufs de la ferme numéro {number} sont frais")
        builder.add_text_block("Deux mots")
        writer.write(item_of(builder.build(), number, host=f"h{number > 2}.example"))
    writer.close()
    return tmp_path


def test_data_sets_and_their_files_are_listed(folder):
    assert ft.list_datasets(folder).Dataset.tolist() == ["hFalse.example", "hTrue.example"]
    assert ft.list_datasets(folder).Pages.tolist() == [2, 2]
    assert ft.list_dataset_files(folder, "hTrue.example") == ["hTrue.example.dataset.feather"]
    assert len(ft.list_dataset_files(folder)) == 2
    with pytest.raises(SourceError, match="export"):
        ft.list_datasets(folder / "nowhere")
    with pytest.raises(SourceError, match="there are: hFalse"):
        ft.read_dataset_file(folder, "other")


def test_rows_are_chosen_by_words_and_shown(folder):
    frame = ft.read_dataset_file(folder, "hFalse.example")
    long = ft.get_rows_from_datasetdf(frame)
    assert [text[-7:] for text in long.Text] == ["t frais"] * 2
    assert ft.get_rows_from_datasetdf(frame, minwords=None, maxwords=2).Text.tolist() == [
        "page 1",
        "Deux mots",
        "page 2",
    ]
    assert ft.get_rows_from_datasetdf(frame, minwords=None, lang="xx").empty
    assert ft.show_first_rows(frame, count=1, skip=1).Text.tolist() == frame.Text.tolist()[1:2]
    assert len(list(ft.get_textblocks_from_dataset(folder))) == 4
    assert ft.show_first_textblocks(folder, count=1, skip=3) == ["Les œufs de la ferme numéro 4 sont frais"]


def test_a_row_leads_to_its_text_and_page(folder):
    frame, urls = ft.read_dataset_file(folder, "hTrue.example"), ft.read_urls_file(folder, "hTrue.example")
    row = frame.index[frame.Text.str.contains("numéro 4")][0]
    assert ft.get_text_from_rowindex(frame, row).endswith("numéro 4 sont frais")
    assert ft.get_url_from_rowindex(frame, row, urls) == "http://hTrue.example/4"


def test_characters_are_found_in_context(folder):
    frame = ft.read_dataset_file(folder, "hFalse.example")
    found = ft.find_textblocks_with_chars(frame, "œ", count=1, ctxsize=6)
    assert found[["left", "char", "right"]].values.tolist() == [["  Les ", "œ", "ufs de"]]
    assert len(ft.find_textblocks_with_chars(frame, 0x153)) == 2
    assert ft.find_textblocks_with_chars(frame, "]^-").empty


def test_a_file_of_the_extractor_is_read_as_events(tmp_path):
    (tmp_path / "a.nlp.txt").write_text(
        "## NLPTextDocument Title T\n## NLPTextDocument Uri ?\n## NLPTextDocument Timestamp 2020-01-02T03:04:05\n\nx y\n"
    )
    assert ft.read_extraction_file(tmp_path / "a.nlp.txt").Text.tolist()[-2:][0] == "x y"


def test_an_extraction_file_that_is_not_there_is_told_by_its_name(tmp_path):
    with pytest.raises(SourceError, match=r"nowhere\.nlp\.txt cannot be read"):
        ft.read_extraction_file(tmp_path / "nowhere.nlp.txt")
