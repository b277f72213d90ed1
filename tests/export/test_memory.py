import export_memory as bench
import pytest


@pytest.fixture(scope="module")
def corpora(tmp_path_factory):
    """Folders of corpora with 2 and 8 MB of text."""
    folders = [tmp_path_factory.mktemp("memory") / str(size) for size in (2, 8)]
    for folder, size in zip(folders, (2, 8), strict=True):
        bench.make(folder, size).close()
    return folders


@pytest.mark.slow
def test_memory_is_flat_where_documents_are_written_one_by_one(corpora, tmp_path):
    small, large = (bench.run(folder, tmp_path / folder.name, "jsonl,csv,xml,nlp.txt.zst,txt") for folder in corpora)
    assert large["documents"] == 4 * small["documents"]
    assert large["peak"] <= 1.1 * small["peak"]


@pytest.mark.slow
def test_memory_is_bounded_where_documents_are_written_in_batches(corpora, tmp_path):
    # Batches of 16 MB of text are full in neither: held whole, the larger corpus would take some times its size more.
    small, large = (bench.run(folder, tmp_path / folder.name, "parquet,datasets,frenchtext") for folder in corpora)
    assert large["peak"] - small["peak"] < 100
