"""Speakers of symbols are distributions over all sequences, and what they learn is what was said."""

import itertools

import pytest
import torch
from torch import nn

from neuralese.agents.messages import Sequences
from neuralese.errors import NeuraleseError
from neuralese.games.reference import ReferenceGame
from neuralese.speakers import symbols
from neuralese.speakers.fit import FitConfig, fit_recorded_speaker
from neuralese.speakers.models import load_robot, save_model
from neuralese.speakers.symbols import AutoregressiveSpeaker, PositionSpeaker

KINDS = [PositionSpeaker, AutoregressiveSpeaker]
FIT = FitConfig(hidden=32, full_batch=8192)


class Views:
    """States that are seen as five numbers."""

    def encoder(self, width: int) -> nn.Module:
        return nn.Linear(5, width)


def made(kind: type, messages: Sequences) -> symbols.SymbolSpeaker:
    torch.manual_seed(0)
    speaker = kind(Views(), 16, messages.vocabulary, messages.longest, messages.ends)
    for each in speaker.parameters():
        nn.init.normal_(each)  # sharper than at first, so that a mistake would show
    return speaker


def everything(symbols: int, longest: int, shortest: int = 0) -> Sequences:
    lengths = range(shortest, longest + 1)
    return Sequences.of(
        [each for length in lengths for each in itertools.product(range(1, symbols + 1), repeat=length)]
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("size", "longest", "shortest"), [(2, 4, 0), (3, 3, 0), (3, 3, 3), (4, 1, 0), (1, 5, 0)])
def test_probabilities_of_all_sequences_sum_to_one(kind, size, longest, shortest, generator):
    messages = everything(size, longest, shortest)
    total = made(kind, messages).log_prob(messages, torch.randn(6, 5, generator=generator)).exp().sum(0)
    torch.testing.assert_close(total, torch.ones(6))


@pytest.mark.parametrize("kind", KINDS)
def test_all_messages_in_all_states_score_as_each_does_by_itself(kind, generator, monkeypatch):
    monkeypatch.setattr(symbols, "STATES", 3)
    monkeypatch.setattr(symbols, "BLOCK", 40)  # so that there are many blocks, of states and of prefixes
    messages = everything(3, 4)[torch.randperm(121, generator=generator)[:50]]
    speaker, views = made(kind, messages).double(), torch.randn(7, 5, dtype=torch.double, generator=generator)
    rows = [speaker.log_prob_each(messages[torch.full((7,), number)], views) for number in range(50)]
    torch.testing.assert_close(speaker.log_prob(messages, views), torch.stack(rows).detach())


@pytest.mark.parametrize("kind", KINDS)
def test_a_message_is_as_likely_as_its_symbols_one_by_one(kind, generator):
    messages = everything(2, 3)
    speaker, views = made(kind, messages), torch.randn(4, 5, generator=generator)
    text = messages.texts().index("2 1")
    by_hand = torch.log_softmax(speaker._logits(messages.places[text].expand(4, -1), views), 2)
    expected = by_hand[:, 0, 1] + by_hand[:, 1, 0] + by_hand[:, 2, 2]  # then it ends
    torch.testing.assert_close(speaker.log_prob(messages, views)[text], expected.detach())


def test_only_the_autoregressive_speaker_lets_symbols_depend_on_those_before(generator):
    messages, views = everything(2, 2, shortest=2), torch.randn(4, 5, generator=generator)
    texts = messages.texts()
    for kind, depends in ((PositionSpeaker, False), (AutoregressiveSpeaker, True)):
        found = made(kind, messages).log_prob(messages, views)
        one, two, three, four = (found[texts.index(text)] for text in ("1 1", "2 2", "1 2", "2 1"))
        assert torch.allclose(one + two, three + four, atol=1e-4) != depends


@pytest.mark.parametrize("kind", KINDS)
def test_a_wider_reading_divides_by_its_square_and_a_saved_speaker_is_the_same(kind, tmp_path, generator):
    messages, views = everything(2, 3), torch.randn(4, 5, generator=generator)
    speaker = made(kind, messages)
    torch.testing.assert_close(speaker.log_prob(messages, views, 2.0), speaker.log_prob(messages, views) / 4)
    save_model(tmp_path / "speaker.safetensors", speaker)
    again = load_robot(tmp_path / "speaker.safetensors", Views())
    assert type(again) is kind
    assert torch.equal(again.log_prob(messages, views), speaker.log_prob(messages, views))


@pytest.mark.parametrize("kind", KINDS)
def test_what_a_speaker_cannot_say_has_no_probability(kind, generator):
    views = torch.randn(4, 5, generator=generator)
    fixed = made(kind, everything(2, 2, shortest=2))
    short, long = Sequences.of([[1], [2, 1]]), Sequences.of([[1, 2], [1, 2, 2]])
    assert fixed.log_prob(short, views)[0].eq(-torch.inf).all()
    assert fixed.log_prob(short, views)[1].isfinite().all()
    assert fixed.log_prob(long, views)[1].eq(-torch.inf).all()
    assert fixed.log_prob(short[:0], views).shape == (0, 4)
    with pytest.raises(NeuraleseError, match="different vocabularies"):
        fixed.log_prob(Sequences.of([[3, 4]]), views)


def test_a_secret_code_is_learned_from_500_messages(generator):
    secret = torch.tensor([7, 2, 9, 4, 5])
    state = torch.randint(5, (700,), generator=generator)
    views, messages = torch.eye(5)[state], Sequences.of(secret[state][:, None].tolist())
    fitted = fit_recorded_speaker(Views(), (views[:500], messages[:500]), (views[500:], messages[500:]), FIT, generator)
    distinct = messages.distinct()[0]
    best = fitted.speaker.log_prob(distinct, torch.eye(5)).argmax(0)
    assert [distinct.texts()[number] for number in best] == [str(symbol) for symbol in secret.tolist()]
    assert list(fitted.losses) == ["position"]


@pytest.mark.parametrize("ordered", [True, False])
def test_the_model_that_held_out_messages_are_likelier_under_is_kept(ordered, generator):
    """Of two symbols that are said in either order, the second depends on the first."""
    views = torch.randn(1200, 5, generator=generator)
    one, two = (views[:, 0] > 0).long() + 1, (views[:, 1] > 0).long() + 3
    swapped = torch.rand(1200, generator=generator) < 0.5
    free = torch.where(swapped[:, None], torch.stack([two, one], 1), torch.stack([one, two], 1))
    messages = Sequences.of((torch.stack([one, two], 1) if ordered else free).tolist())
    train, dev = ((views[part], messages[part]) for part in (slice(0, 900), slice(900, None)))
    fitted = fit_recorded_speaker(Views(), train, dev, FIT, generator)
    assert fitted.losses.keys() == {"position", "autoregressive"}
    assert fitted.speaker.kind == min(fitted.losses, key=fitted.losses.get)
    assert ordered or fitted.losses["autoregressive"] < fitted.losses["position"] - 0.3
    found = -fitted.speaker.log_prob_each(dev[1], dev[0]).mean().item()
    assert found == pytest.approx(fitted.losses[fitted.speaker.kind], abs=1e-4)


def test_messages_of_different_lengths_are_learned_with_their_lengths(generator):
    game = ReferenceGame(torch.eye(3))  # what an item is called: 1, 1 2, or nothing
    item = torch.randint(3, (600,), generator=generator)
    views = game.speaker_view(torch.stack([item, item.roll(1)], 1))
    messages = Sequences.of([[[1, 0, 2], [1, 2, 0], [0, 1, 1]][each] for each in item.tolist()], end=0)
    fitted = fit_recorded_speaker(game, (views[:500], messages[:500]), (views[500:], messages[500:]), FIT, generator)
    distinct = messages.distinct()[0]
    said = fitted.speaker.log_prob(distinct, views[500:]).argmax(0)
    assert [distinct.texts()[number] for number in said] == messages[500:].texts()


def test_fitting_is_the_same_for_the_same_generator(generator):
    views, messages = torch.randn(200, 5, generator=generator), everything(3, 3)
    messages = messages[torch.randint(len(messages), (200,), generator=generator)]
    config = FitConfig(hidden=8, steps=20, batch=32, check_every=5)
    first, again = (
        fit_recorded_speaker(
            Views(), (views, messages), (views, messages), config, torch.Generator().manual_seed(1)
        ).speaker
        for _ in range(2)
    )
    assert all(torch.equal(a, b) for a, b in zip(first.parameters(), again.parameters(), strict=True))


def test_nothing_is_learned_from_noise(generator):
    views = torch.randn(350, 5, generator=generator)
    noise = torch.randint(3, (350, 3), generator=generator)
    messages = Sequences.of(noise.tolist())  # there is nothing to learn, so whatever is learned is wrong
    fitted = fit_recorded_speaker(Views(), (views[:200], messages[:200]), (views[200:], messages[200:]), FIT, generator)
    assert fitted.losses["position"] == pytest.approx(3 * torch.tensor(3.0).log().item(), abs=0.1)
