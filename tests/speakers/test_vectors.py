"""The Gaussian in which robots speak, with noise that is known or fitted."""

import pytest
import torch
from torch import nn

from neuralese.speakers.fit import FitConfig, fit_recorded_speaker
from neuralese.speakers.models import load_robot, save_model
from neuralese.speakers.vectors import GaussianSpeaker, log_density


@pytest.mark.parametrize("width", [0.3, 1.0, 4.0])
def test_the_density_is_that_of_independent_normal_numbers(width, generator):
    points, means = (torch.randn(size, 6, dtype=torch.float64, generator=generator) for size in (5, 7))
    before = points.clone(), means.clone()
    expected = torch.distributions.Normal(means, width).log_prob(points[:, None]).sum(-1)
    torch.testing.assert_close(log_density(points, means, width), expected)
    assert torch.equal(torch.cat([points, means]), torch.cat(before))
    assert log_density(points.float(), means.float(), width).dtype == torch.float32


FIT = FitConfig(hidden=32, full_batch=8192)


class Views:
    """States that are seen as three numbers."""

    def encoder(self, width: int) -> nn.Module:
        return nn.Linear(3, width)


def said(noise: list[float], n: int, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    """Messages far from zero and in units of their own, with the given noise."""
    views = torch.randn(n, 3, generator=generator)
    means = 50 + 10 * views @ torch.tensor([[1.0, 0, 1, 2], [0, 1, 1, 0], [0, 0, 1, 1]])
    return views, means + torch.tensor(noise) * torch.randn(n, 4, generator=generator)


@pytest.mark.parametrize("widen", [1.0, 2.5])
@pytest.mark.parametrize("diagonal", [False, True])
def test_a_speaker_is_a_normal_distribution_for_each_entry(diagonal, widen, generator):
    speaker = GaussianSpeaker(Views(), 8, 4, diagonal)
    views, messages = said([1.0, 2.0, 4.0, 8.0], 20, generator)
    speaker.standardise(messages)
    normal = torch.distributions.Normal(speaker.mean(views)[None], widen * speaker.noise)
    expected = normal.log_prob(messages[:, None]).sum(2)
    torch.testing.assert_close(speaker.log_prob(messages, views, widen), expected, rtol=1e-4, atol=1e-3)
    torch.testing.assert_close(speaker.log_prob(messages, views).diagonal(), speaker.log_prob_each(messages, views))
    assert speaker.log_peak(widen) == pytest.approx(normal.log_prob(normal.mean).sum(2)[0, 0].item(), rel=1e-4)


@pytest.mark.parametrize(("noise", "kind"), [([2.0, 2.0, 2.0, 2.0], None), ([0.5, 1.0, 3.0, 9.0], "diagonal")])
def test_the_noise_is_found_and_its_kind_chosen_on_held_out_messages(noise, kind, generator):
    train, dev = said(noise, 4000, generator), said(noise, 1000, generator)
    fitted = fit_recorded_speaker(Views(), train, dev, FIT, generator)
    torch.testing.assert_close(fitted.speaker.noise.expand(4).detach(), torch.tensor(noise), rtol=0.15, atol=0.1)
    assert fitted.losses.keys() == {"isotropic", "diagonal"}
    assert fitted.speaker.diagonal == (fitted.losses["diagonal"] < fitted.losses["isotropic"])
    if kind:
        assert fitted.speaker.diagonal
        assert fitted.losses["diagonal"] < fitted.losses["isotropic"] - 1
    else:
        assert fitted.losses["diagonal"] == pytest.approx(fitted.losses["isotropic"], abs=0.1)


def test_given_noise_stays_as_it_is(generator):
    train, dev = said([2.0] * 4, 1000, generator), said([2.0] * 4, 200, generator)
    fitted = fit_recorded_speaker(Views(), train, dev, FIT, generator, noise=0.7)
    assert fitted.speaker.width == pytest.approx(0.7)
    assert list(fitted.losses) == ["isotropic"]


def test_messages_without_noise_and_entries_that_never_change_are_no_trouble(generator):
    views, messages = said([0.0] * 4, 500, generator)
    messages[:, 2] = 3.0
    fitted = fit_recorded_speaker(Views(), (views, messages), (views, messages), FIT, generator)
    found = fitted.speaker.log_prob(messages[:50], views[:50])
    assert found.isfinite().all()
    assert (found.argmax(1) == torch.arange(50)).float().mean() > 0.5  # each is likeliest where it was said
    constant = torch.full((100, 4), 3.0)
    lone = fit_recorded_speaker(Views(), (views[:100], constant), (views[:100], constant), FIT, generator).speaker
    assert lone.log_prob(constant[:3], views[:5]).isfinite().all()


@pytest.mark.parametrize("settings", [{}, {"diagonal": True}, {"noise": 0.3}])
def test_a_saved_speaker_is_the_same_speaker(settings, tmp_path, generator):
    views, messages = said([1.0] * 4, 20, generator)
    speaker = GaussianSpeaker(Views(), 8, 4, **settings)
    speaker.standardise(messages)
    save_model(tmp_path / "speaker.safetensors", speaker)
    again = load_robot(tmp_path / "speaker.safetensors", Views())
    assert torch.equal(again.log_prob(messages, views), speaker.log_prob(messages, views))
