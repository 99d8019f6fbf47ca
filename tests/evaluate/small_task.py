"""A reference game of forty items with untrained players, and the files of a run on it that evaluations read."""

from pathlib import Path

import pandas as pd
import torch

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Translations
from neuralese.evaluate.listeners import Listeners
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanListener, HumanSpeaker, RobotSpeaker
from neuralese.speakers.traces import Lists, Traces
from neuralese.storage.tables import write_table
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.languages import Composed, English, Neuralese

PHRASES = ["", "red", "green", "blue", "light"]  # the first is silence
PARTS = ((0,), (1,), (2,), (3,), (4,), (1, 4), (2, 4))
MESSAGE, NOISE = 6, 0.3


class SmallTask:
    """Everything random is drawn from `seed`."""

    def __init__(self, seed: int = 0, items: int = 300, humans: int = 200, n_candidates: int = 2) -> None:
        self.generator = torch.Generator().manual_seed(seed)
        torch.manual_seed(seed)
        self.game = ReferenceGame(torch.randn(40, 3, generator=self.generator), n_candidates=n_candidates)
        self.cell = Cell(self.game, CellConfig(hidden=8, message=MESSAGE, radius=2.0, noise=NOISE)).eval()
        self.robot = RobotSpeaker(self.game, hidden=8, message=MESSAGE, scale=NOISE)
        self.human = HumanSpeaker(self.game, hidden=8, phrases=len(PHRASES), silence=0)
        self.listener = HumanListener(self.game, hidden=8, words=len(PHRASES))
        self.listeners = Listeners.of(self.game, self.cell, self.robot, self.listener)
        self.english = English(self.game, self.human, PHRASES)
        self.candidates = self.game.candidates(self.game.draw_states(60, self.generator))
        self.vocabulary, self.said = self._speech(50, first=0), self._speech(items, first=1000)
        self.speech = HumanSpeech.draw(self.game, self._traces(), 0, PARTS, humans, self.generator)
        told, vocabulary = Composed(self.english, PARTS), self.language(self.vocabulary)
        self.translations = Translations(self.said, self.speech, self.english, told, vocabulary)

    def _speech(self, n: int, first: int) -> Speech:
        messages = torch.randn(n, MESSAGE, generator=self.generator)
        return Speech(torch.arange(first, first + n), self.game.draw_states(n, self.generator), messages)

    def _traces(self, n: int = 120) -> Traces:
        """What humans said: all of `PARTS`, over and over; every fifth is of the game of the one before."""
        said = [PARTS[number % len(PARTS)] for number in range(n)]
        starts = torch.tensor([0, *torch.tensor([len(each) for each in said]).cumsum(0).tolist()])
        phrases = Lists(torch.tensor([phrase for each in said for phrase in each]), starts, len(PHRASES))
        games = torch.arange(n) - (torch.arange(n) % 5 == 1).long()
        return Traces(self.game.draw_states(n, self.generator), phrases, phrases, games)

    def language(self, speech: Speech) -> Neuralese:
        return Neuralese(self.game, self.robot, speech.messages, speech.ids)

    def write(self, folder: Path, criteria: dict[str, dict]) -> dict[str, Path]:
        """Write what `Translations.by_dictionary` reads: a dictionary by `criteria`."""
        path = folder / "dictionary.parquet"
        by_direction = {"R->H": criteria, "H->R": criteria}
        said, vocabulary = self.language(self.said), self.language(self.vocabulary)
        told = Composed(self.english, PARTS)
        dictionary = build_dictionary(self.english, told, [said], vocabulary, self.candidates, by_direction, n_best=3)
        write_table(path, dictionary, "dictionary", about={"criteria": by_direction})
        return {path.name: path}

    def describe(self, folder: Path) -> Path:
        """Write what `Translations.by_description` reads: "red" and "light red" in turn, and once nothing."""
        path, many = folder / "descriptions.parquet", len(self.said.ids)
        parts = [[], *([1], [1, 4]) * many][:many]
        table = {"message_id": self.said.ids.int().numpy(), "text": "", "parts": parts, "score": 0.0, "gain": 0.0}
        write_table(path, pd.DataFrame(table | {"sure": 0.5}), "descriptions")
        return path
