"""New messages and phrases: better by the criterion than those chosen among what was heard, and on the shell."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from neuralese.config.models import SynthesisConfig
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.storage.tables import matrix, read_table, write_table
from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.languages import Composed, English, Neuralese
from neuralese.translate.synthesis import (
    MessageMaker,
    bags_table,
    believe_by_likelihood,
    new_messages,
    new_phrases,
)


@pytest.fixture(params=[2, 3])
def game(request, generator) -> ReferenceGame:
    return ReferenceGame(torch.randn(60, 3, generator=generator), n_candidates=request.param)


@pytest.fixture
def english(game) -> English:
    torch.manual_seed(1)
    speaker = HumanSpeaker(game, hidden=16, phrases=5)
    with torch.no_grad():
        speaker.logits.phrases.weight.mul_(8)
    return English(game, speaker, ["light", "dark", "red", "green", "blue"])


@pytest.fixture
def neuralese(game, generator) -> Neuralese:
    torch.manual_seed(2)
    speaker = RobotSpeaker(game, hidden=16, message=6, scale=0.3)
    states = game.draw_states(40, generator)
    said = speaker.mean(game.speaker_view(states)).detach() + 0.3 * torch.randn(40, 6, generator=generator)
    return Neuralese(game, speaker, said, torch.arange(40))


def disagreement(english: English, neuralese: Neuralese, candidates: torch.Tensor) -> torch.Tensor:
    """How often listeners to a phrase and to a message pick different states, (phrases, messages)."""
    said, heard = english.log_likelihood(candidates), neuralese.log_likelihood(candidates)
    weights = torch.softmax(said[..., 0], dim=1)
    return 1 - torch.einsum("pn,pns,kns->pk", weights, torch.softmax(said, -1), torch.softmax(heard, -1))


def test_new_messages_mean_more_of_the_same_than_any_that_was_heard(game, english, neuralese, generator):
    candidates = game.candidates(game.draw_states(300, generator))
    believe = believe_by_likelihood(neuralese, candidates, scale=2.0)
    maker = MessageMaker(neuralese, candidates, candidates, 1.0, SynthesisConfig(), generator)
    messages, scores = maker.make(english, believe)
    assert messages.shape == (5, 6)
    torch.testing.assert_close(messages.norm(dim=1), torch.ones(5))
    on_the_shell = torch.nn.functional.normalize(neuralese.messages, dim=1)
    heard = Neuralese(game, neuralese.speaker, on_the_shell, neuralese.ids, scale=2.0)
    best = disagreement(english, heard, candidates).min(1).values
    made = disagreement(english, replace(heard, messages=messages), candidates).diagonal()
    assert made.mean() < best.mean() - 1e-3
    torch.testing.assert_close(made.float(), scores, rtol=0, atol=0.05)  # of a sample of contexts


def test_new_phrases_hold_all_pairs_and_some_triples_and_never_translate_worse(
    game, english, neuralese, tmp_path, generator
):
    candidates = game.candidates(game.draw_states(200, generator))
    criterion = BeliefCriterion(weights="source", divergence="reverse")
    language, scores = new_phrases(criterion, neuralese, english, candidates, SynthesisConfig(beam=2))
    sizes = [len(part) for part in language.parts]
    assert sizes.count(1) == 5
    assert sizes.count(2) == 10
    assert 0 < sizes.count(3) <= 6
    assert len(set(language.parts)) == len(language.parts)
    exact = criterion.scores(neuralese, language, candidates)
    torch.testing.assert_close(scores.double(), exact, rtol=1e-4, atol=1e-4)
    composed = exact.min(1).values
    alone = criterion.scores(neuralese, english, candidates).min(1).values
    assert (composed <= alone + 1e-9).all()
    assert (composed < alone - 1e-6).any()
    write_table(tmp_path / "bags.parquet", bags_table(language), "bags")
    read = read_table(tmp_path / "bags.parquet", "bags")
    assert [tuple(parts) for parts in read["parts"].to_pylist()] == list(language.parts)
    assert read["text"].to_pylist()[:6] == ["light", "dark", "red", "green", "blue", "light, dark"]


def test_new_messages_are_numbered_and_found_by_the_utterance_they_were_made_for(english, tmp_path, generator):
    told = Composed(english, ((0,), (3,), (0, 3)))
    made = {name: (torch.randn(3, 4, generator=generator), torch.rand(3)) for name in ("synthesis", "synthesis-judge")}
    messages, rows = new_messages(told.ids.tolist(), told.texts(), made)
    write_table(tmp_path / "new_messages.parquet", messages, "messages")
    write_table(tmp_path / "synthesis.parquet", rows, "dictionary")
    table = read_table(tmp_path / "new_messages.parquet", "messages")
    entries = read_table(tmp_path / "synthesis.parquet", "dictionary").to_pandas()
    assert table["message_id"].to_pylist() == entries["target_id"].tolist() == list(range(6))
    assert table["utterance_id"].to_pylist() == entries["source_id"].tolist() == [0, 1, 2] * 2
    assert table["judge"].to_pylist() == [False] * 3 + [True] * 3
    np.testing.assert_array_equal(matrix(table["message"])[3:], made["synthesis-judge"][0])
    assert entries["criterion"].tolist() == ["synthesis"] * 3 + ["synthesis-judge"] * 3
    assert entries["source"].tolist() == ["light", "green", "light, green"] * 2
    last = entries.iloc[5]
    assert (last["direction"], last["rank"], last["target"]) == ("H->R", 1, "new message 5")
    assert last["score"] == pytest.approx(made["synthesis-judge"][1][2].item())
