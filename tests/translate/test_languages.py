"""How criteria take the likelihoods of a language: how wide p(z | x) is, and what phrases said together are."""

import math
from itertools import accumulate

import pandas as pd
import pytest
import torch
from worlds import NOISE, World

from neuralese.speakers.traces import Lists
from neuralese.storage.tables import write_table
from neuralese.tasks.items import traces_table, utterances_table
from neuralese.translate.criteria import Reading
from neuralese.translate.languages import load_parts, utterance_ids

WORDS = ["", "light", "dark", "green"]


@pytest.fixture(scope="module")
def world() -> World:
    return World(WORDS, contexts=7)


@pytest.mark.parametrize(
    ("reading", "width"),
    [
        (Reading(), NOISE),
        (Reading(scale=4.0), 4 * NOISE),
        (Reading(variance=0.5), math.sqrt(0.5)),
        (Reading(scale=4.0, variance=0.5), math.sqrt(0.5)),  # whatever the noise
    ],
)
def test_a_robots_messages_are_gaussian_and_as_wide_as_they_are_read(world, reading, width):
    said, game = world.say(4), world.game
    with torch.no_grad():
        means = world.robot.mean(game.speaker_view(world.candidates.flatten(0, 1))).unflatten(0, (7, 2))
    expected = torch.stack([torch.distributions.Normal(means, width).log_prob(each).sum(-1) for each in said.messages])
    read = said.read(reading)
    torch.testing.assert_close(read.log_likelihood(world.candidates), expected)
    assert read.log_peak == pytest.approx(-4 * math.log(width * math.sqrt(2 * math.pi)))
    # reading what was read forgets the first reading
    assert read.read(Reading()).scale == said.read(Reading()).scale


def test_phrases_said_together_are_read_as_a_product_or_as_its_geometric_mean(world):
    bags, single = world.told((1,), (1, 3), (1, 2, 3)), world.english.log_likelihood(world.candidates)
    product = torch.stack([single[1], single[1] + single[3], single[1] + single[2] + single[3]])
    for reading, expected in (
        (Reading(), product),
        (Reading(scale=9.0, variance=7.0), product),
        (Reading(join="mean"), product / torch.tensor([1, 2, 3])[:, None, None]),
    ):
        torch.testing.assert_close(bags.read(reading).log_likelihood(world.candidates), expected)
    alone = world.english.read(Reading(scale=3.0, variance=0.1, join="mean"))
    assert torch.equal(alone.log_likelihood(world.candidates), single)


# ---- what humans say at once: sets of phrases, numbered so that single phrases keep their own numbers


def lists(said: list[list[int]]) -> Lists:
    starts = torch.tensor([0, *accumulate(len(each) for each in said)])
    return Lists(torch.tensor([phrase for each in said for phrase in each]), starts, len(WORDS))


SAID = {
    "train": [[2, 3], [3, 2], [1, 3], [1, 2], [1, 2], [1, 2], [0], []],
    "dev": [[1, 3], [2], [1, 2, 3], [3, 1, 3]],
    "test": [[3, 2], [0], [0], [1, 2, 3]],
}


@pytest.fixture
def table() -> pd.DataFrame:
    said = [(split, each) for split in SAID for each in SAID[split]]
    return utterances_table(
        WORDS, traces_table(range(len(said)), phrases=[each for _, each in said]), [split for split, _ in said]
    )


def test_single_phrases_come_first_by_their_own_ids_and_then_what_was_said_on_held_out_states(table):
    assert table["utterance_id"].tolist() == list(range(len(table)))
    assert table["parts"].tolist()[:4] == [[0], [1], [2], [3]]
    # the most frequent in training first; what was said in training alone is not there
    assert table["parts"].tolist()[4:] == [[2, 3], [1, 3], [1, 2, 3]]
    assert table["text"].tolist()[4:] == ["dark, green", "light, green", "light, dark, green"]


def test_utterances_are_counted_in_each_split(table):
    counts = table.set_index(table["parts"].map(tuple))[["train", "dev", "test"]]
    expected = {(2, 3): [2, 0, 1], (1, 3): [1, 2, 0], (0,): [1, 0, 2], (3,): [0, 0, 0]}
    assert {parts: counts.loc[[parts]].to_numpy()[0].tolist() for parts in expected} == expected


def test_everything_that_was_said_on_held_out_states_is_found_by_its_phrases(table, tmp_path):
    write_table(tmp_path / "utterances.parquet", table, "utterances")
    parts = load_parts(tmp_path / "utterances.parquet")
    for split in ("dev", "test"):
        bags = lists(SAID[split]).bags(torch.arange(len(SAID[split])))
        found = utterance_ids(bags, parts)
        assert [parts[number] for number in found.tolist()] == [tuple(sorted(set(each))) for each in SAID[split]]
