"""The hidden layer whose activations are a bird's feature: trained on the 200 species, with training images only.

A head memorises its training images, so their features are crisper than those of images it never saw.
"""

import logging

import numpy as np
import pandas as pd
import pyarrow as pa
import torch
from torch import Tensor, nn
from torch.optim import AdamW
from torch.optim.lr_scheduler import CosineAnnealingLR

from neuralese.config.models import HeadConfig
from neuralese.storage.tables import matrix, vectors

log = logging.getLogger(__name__)

# weights of bilinear and of average pooling; alone they reach 0.67 and 0.68 on dev, together 0.69
WEIGHTS = {"pooled": 0.5, "average": 1.5}

BATCH = 256  # images in a minibatch
WEIGHT_DECAY = 1e-4
HIDDEN_DROPOUT = 0.5  # share of hidden units dropped in training
CHECKED = 2  # epochs between evaluations on dev


class ByteDropout(nn.Module):
    """Dropout with one random byte per value, where torch draws an integer; the share is exact to 1/256."""

    def __init__(self, dropped: float) -> None:
        super().__init__()
        self.kept = max(1, round(256 * (1 - dropped)))  # out of 256 values

    def forward(self, values: Tensor) -> Tensor:
        """Values (n, d) with a share set to zero while training, and the others scaled up accordingly."""
        if not self.training or self.kept == 256:
            return values
        drawn = torch.empty(len(values), -(-values.shape[1] // 8), dtype=torch.int64).random_(-(2**63), None)
        return (values * (drawn.view(torch.uint8)[:, : values.shape[1]] < self.kept)).mul_(256 / self.kept)


class Head(nn.Module):
    """Pooled features (n, pooled) -> hidden units (n, hidden) -> class scores (n, classes)."""

    def __init__(self, pooled: int, classes: int, config: HeadConfig) -> None:
        super().__init__()
        self.hidden = nn.Linear(pooled, config.hidden)
        self.classes = nn.Linear(config.hidden, classes)
        self.dropout, self.hidden_dropout = ByteDropout(config.dropout), nn.Dropout(HIDDEN_DROPOUT)

    def features(self, pooled: Tensor) -> Tensor:
        """The hidden activations (n, hidden)."""
        return torch.relu(self.hidden(self.dropout(pooled)))

    def forward(self, pooled: Tensor) -> Tensor:
        """Class scores."""
        return self.classes(self.hidden_dropout(self.features(pooled)))

    def accuracy(self, pooled: Tensor, labels: Tensor) -> float:
        """The share of images whose top class is right."""
        return float((self(pooled).argmax(1) == labels).float().mean())


def train_head(
    inputs: Tensor, classes: Tensor, rows: dict[str, Tensor], config: HeadConfig, seed: int
) -> tuple[Head, dict]:
    """Train on the rows `train`, keep the weights of the epoch that did best on `dev`; return the accuracies."""
    pooled, labels = ({split: values[row] for split, row in rows.items()} for values in (inputs, classes))
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        head = Head(inputs.shape[1], int(max(label.max() for label in labels.values())) + 1, config)
        optimizer = AdamW(head.parameters(), config.learning_rate, weight_decay=WEIGHT_DECAY, fused=True)
        schedule = CosineAnnealingLR(optimizer, config.epochs * -(-len(labels["train"]) // BATCH))
        best, weights = -1.0, {}
        for epoch in range(config.epochs):
            head.train()
            for chosen in torch.randperm(len(labels["train"]), generator=generator).split(BATCH):
                optimizer.zero_grad()
                seen = pooled["train"].index_select(0, chosen)  # faster than an index
                loss = nn.functional.cross_entropy(head(seen), labels["train"][chosen], label_smoothing=0.1)
                loss.backward()
                optimizer.step()
                schedule.step()
            if (epoch + 1) % CHECKED and epoch + 1 < config.epochs:
                continue
            head.eval()
            with torch.no_grad():
                accuracy = head.accuracy(pooled["dev"], labels["dev"])
            log.info("epoch %d: loss %.3f, dev accuracy %.3f", epoch + 1, loss.item(), accuracy)
            if accuracy > best:
                best, weights = accuracy, {name: value.clone() for name, value in head.state_dict().items()}
        head.load_state_dict(weights)
    with torch.no_grad():
        return head, {split: head.accuracy(pooled[split], labels[split]) for split in pooled}


def bird_features(pooled: pa.Table, images: pd.DataFrame, config: HeadConfig, seed: int = 0) -> tuple[pa.Table, dict]:
    """The features of all pooled images (columns image_id, feature) by image, and the head's accuracy on each split."""
    order = np.argsort(pooled["image_id"].to_numpy())
    ids = pooled["image_id"].to_numpy()[order]
    known = images.set_index("image_id").loc[ids]
    labels = torch.from_numpy(known["class_id"].to_numpy().astype(np.int64) - 1)
    rows = {split: torch.from_numpy(np.flatnonzero(known["split"] == split)) for split in ("train", "dev", "test")}
    blocks = []
    for name, weight in WEIGHTS.items():
        block = torch.from_numpy(matrix(pooled[name])[order])
        training = block[rows["train"]]
        blocks.append(weight * (block - training.mean(0)) / (training - training.mean(0)).std())
    inputs = torch.cat(blocks, dim=1)
    head, accuracy = train_head(inputs, labels, rows, config, seed)
    with torch.no_grad():
        features = vectors(head.features(inputs).numpy())
    return pa.table({"image_id": pa.array(ids, pa.int32()), "feature": features}), accuracy
