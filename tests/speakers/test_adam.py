"""Our Adam and its falling step size are torch's, to the last bit."""

import subprocess
import sys

import pytest
import torch

from neuralese.speakers.adam import Adam, cosine


def losses(model: torch.nn.Module, given: torch.Tensor) -> torch.Tensor:
    return model(given).square().mean()


@pytest.mark.parametrize("decay", [True, False])
def test_steps_are_those_of_torch_to_the_last_bit(decay):
    torch.manual_seed(0)
    ours, theirs = (torch.nn.Sequential(torch.nn.Linear(5, 7), torch.nn.Tanh(), torch.nn.Linear(7, 3)) for _ in "ab")
    theirs.load_state_dict(ours.state_dict())
    steps = 40
    mine, other = Adam(ours.parameters(), 0.01), torch.optim.Adam(theirs.parameters(), lr=0.01)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(other, steps)
    for step in range(1, steps + 1):
        given = torch.randn(11, 5)
        mine.forget()
        losses(ours, given).backward()
        mine.step()
        other.zero_grad()
        losses(theirs, given).backward()
        other.step()
        if decay:
            mine.learning_rate *= cosine(step, steps)
            schedule.step()
        assert mine.learning_rate == other.param_groups[0]["lr"]
        assert all(torch.equal(a, b) for a, b in zip(ours.parameters(), theirs.parameters(), strict=True))


def test_a_parameter_without_a_gradient_stays():
    used, unused = torch.ones(2, requires_grad=True), torch.ones(2, requires_grad=True)
    optimizer = Adam([used, unused], 0.1)
    used.sum().backward()
    optimizer.step()
    assert (used < 1).all()
    assert torch.equal(unused, torch.ones(2))


def test_fitting_does_not_import_a_compiler():
    script = """
import sys, torch
from neuralese.speakers.fitting import FitConfig, fit
model = torch.nn.Linear(1, 1)
fit(model, lambda batch: model(torch.ones(batch, 1)).sum(), lambda: 0.0, FitConfig(steps=3, check_every=1), "line")
print("torch._dynamo" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
