import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from neuralese.errors import NeuraleseError
from neuralese.storage.files import atomic
from neuralese.storage.tables import matrix, read_about, read_table, vectors, write_table
from neuralese.tasks.driving.tables import WORDS

INVENTORY = pd.DataFrame({"phrase_id": [0, 1], "phrase": ["red", "blue"], "count": [5, 3]})


def test_a_table_is_written_with_the_types_of_its_contract_and_read_back(tmp_path):
    write_table(tmp_path / "inventory.parquet", INVENTORY.assign(more=[0.5, 1.5]), "inventory")
    table = read_table(tmp_path / "inventory.parquet", "inventory")
    assert table.schema.field("phrase_id").type == pa.int32()
    assert table.to_pandas()["more"].tolist() == [0.5, 1.5]


def test_a_missing_column_is_named_and_nothing_is_written(tmp_path):
    with pytest.raises(NeuraleseError, match="has no column 'count'"):
        write_table(tmp_path / "inventory.parquet", INVENTORY.drop(columns="count"), "inventory")
    assert list(tmp_path.iterdir()) == []


def test_a_file_with_a_missing_or_mistyped_column_is_refused_when_read(tmp_path):
    path = tmp_path / "inventory.parquet"
    pq.write_table(pa.table({"phrase_id": pa.array([1], pa.int32()), "phrase": ["red"]}), path)
    with pytest.raises(NeuraleseError, match=r"inventory\.parquet has no column 'count'"):
        read_table(path, "inventory")
    pq.write_table(pa.table({"phrase_id": ["one"], "phrase": ["red"], "count": [1]}), path)
    with pytest.raises(NeuraleseError, match="holds column 'phrase_id' as string"):
        read_table(path, "inventory")


@pytest.mark.parametrize("content", [b"", b"PAR1 and then nothing"])
def test_half_a_file_is_refused_in_one_sentence(tmp_path, content):
    path = tmp_path / "history.parquet"
    path.write_bytes(content)
    with pytest.raises(NeuraleseError, match="is damaged; delete it and run again") as caught:
        read_table(path, "history")
    assert "\n" not in str(caught.value)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(NeuraleseError, match="does not exist yet; run snakemake"):
        read_table(tmp_path / "history.parquet", "history")


def test_vectors_survive_the_journey(tmp_path):
    values = np.random.default_rng(0).random((7, 64), dtype=np.float32)
    table = pa.table({"message_id": range(7), "split": ["test"] * 7, "message": vectors(values)})
    write_table(tmp_path / "messages.parquet", table, "messages")
    np.testing.assert_array_equal(matrix(read_table(tmp_path / "messages.parquet", "messages")["message"]), values)


def test_the_same_table_gives_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_table(tmp_path / name, INVENTORY, "inventory")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_write_that_fails_leaves_the_old_file_and_no_other(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("old")

    def fail_half_way():
        with atomic(path) as temporary:
            temporary.write_text("half")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    assert [(file.name, file.read_text()) for file in tmp_path.iterdir()] == [("table.csv", "old")]


def test_what_is_written_about_a_table_is_read_back(tmp_path):
    path = tmp_path / "words.parquet"
    table = pa.table({"word_id": [0], "word": ["left"], "count": [3]})
    write_table(path, table, WORDS, about={"settings": {"least": 3, "of": [1.5, None]}})
    assert read_about(path) == {"settings": {"least": 3, "of": [1.5, None]}}
    write_table(path, table, WORDS)
    assert read_about(path) == {}
