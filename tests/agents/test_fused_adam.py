"""Our fused Adam is torch's, to the last bit."""

import subprocess
import sys

import pytest
import torch

from neuralese.agents.adam import FusedAdam

STEPS = 40


def model() -> torch.nn.Module:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Tanh(), torch.nn.Linear(7, 3))


def learn(model: torch.nn.Module, optimizer, batches: torch.Tensor) -> None:
    for given in batches:
        for each in model.parameters():
            each.grad = None
        model(given).square().mean().backward()
        optimizer.step()


@pytest.mark.parametrize(("decay", "kind"), [(None, torch.optim.Adam), (0.1, torch.optim.AdamW)])
def test_steps_are_those_of_torch_to_the_last_bit(decay, kind):
    ours, theirs, batches = model(), model(), torch.randn(STEPS, 11, 5)
    options = {} if decay is None else {"weight_decay": decay}
    learn(ours, FusedAdam(ours.parameters(), 0.01, decay), batches)
    learn(theirs, kind(theirs.parameters(), lr=0.01, fused=True, **options), batches)
    assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), theirs.parameters(), strict=True))
    assert not torch.equal(ours[0].weight, model()[0].weight)


def test_a_restored_state_goes_on_as_if_nothing_had_happened(tmp_path):
    whole, resumed, batches = model(), model(), torch.randn(STEPS, 11, 5)
    learn(whole, FusedAdam(whole.parameters(), 0.01), batches)
    before = FusedAdam(resumed.parameters(), 0.01)
    learn(resumed, before, batches[:15])
    torch.save(before.state(), tmp_path / "state.pt")
    after = FusedAdam(resumed.parameters(), 0.01)
    after.restore(torch.load(tmp_path / "state.pt", weights_only=True))
    learn(resumed, after, batches[15:])
    assert all(torch.equal(a, b) for a, b in zip(whole.parameters(), resumed.parameters(), strict=True))


def test_a_parameter_without_a_gradient_stays():
    used, unused = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizer = FusedAdam([used, unused], 0.1)
    used.sum().backward()
    optimizer.step()
    assert (used < 1).all()
    assert torch.equal(unused, torch.ones(2))


def test_training_does_not_import_a_compiler():
    script = """
import sys, torch
from neuralese.config.models import CellConfig, TrainingConfig
from neuralese.agents.training import Trainer
from neuralese.games.reference import ReferenceGame
game = ReferenceGame(torch.randn(50, 3))
Trainer(game, CellConfig(hidden=8, message=4), TrainingConfig(updates=2, batch=4, new_games=4), seed=0).run()
print("torch._dynamo" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
