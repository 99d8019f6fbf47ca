"""A robot to talk with, and its translators, from the files of a finished run.

Entries of the dictionary are looked up; other messages, and other phrases said together, are scored by the
dictionary's own criteria in its own contexts. Either way every criterion of the dictionary can be used.
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pandas as pd
import torch
from torch import Tensor

from neuralese import tasks
from neuralese.agents.messages import Speech
from neuralese.agents.sequences import Messages
from neuralese.errors import NeuraleseError
from neuralese.evaluate.listeners import Guess, guess_by_likelihood, guess_by_playing
from neuralese.stages.run import Run
from neuralese.storage.tables import read_about, read_table
from neuralese.tasks.reference_play.translation import Choice, Said, Translation, ranked
from neuralese.translate.criteria import make_criterion
from neuralese.translate.families import named, with_role
from neuralese.translate.interpreter import cross_entropies, interpret_words
from neuralese.translate.languages import Composed, Neuralese
from neuralese.translate.pairs import SINGLE, beliefs

N_BEST = 5  # number of translations shown
OF_SEED = (
    *("robot_speaker.safetensors", "human_speaker.safetensors"),
    *("messages.parquet", "contexts.parquet", "dictionary.parquet"),
)
SPLIT = "test"  # the split that is played: neither robot nor translator has learned from it


class Robot:
    """One that speaks and listens, with both languages. States are (1, s, ...), the true one first."""

    def __init__(self, run: Run, dictionary: Path) -> None:
        self.run, self.game = run, run.games[SPLIT]
        self.dictionary = dictionary
        self.criteria: dict[str, dict[str, dict]] = read_about(dictionary).get("criteria", {})

    @property
    def criterion(self) -> str:
        """The criterion whose role is ours, or else the first."""
        return with_role(self.criteria["R->H"], "ours") or next(iter(self.criteria["R->H"]))

    @property
    def names(self) -> list[str]:
        """The criteria that translate in both directions."""
        return [name for name in self.criteria["R->H"] if name in self.criteria["H->R"]]

    @cached_property
    def said(self) -> Speech:
        """What the robot said in the states being played."""
        return self.run.said[SPLIT]

    @cached_property
    def _entries(self) -> pd.DataFrame:
        table = read_table(self.dictionary, "dictionary").to_pandas()
        return table.set_index(["direction", "criterion", "source_id"]).sort_index()

    @cached_property
    def _contexts(self) -> Tensor:
        return self.run.contexts(read_about(self.dictionary).get("contexts"))

    @cached_property
    def _vocabulary(self) -> dict[int, int]:
        """The position of each message that phrases may be translated into, by its id."""
        return {number: row for row, number in enumerate(self.run.said["train"].ids.tolist())}

    def _looked_up(self, direction: str, criterion: str, source: int) -> list[Choice]:
        try:
            rows = self._entries.loc[(direction, criterion, source)].sort_values("rank").head(N_BEST)
        except KeyError:
            return []
        return [Choice(row.target_id, row.target, row.score) for row in rows.itertuples()]

    def into_english(self, said: Said, criterion: str) -> Translation:
        """A message in English: single phrases."""
        best = [] if said.id is None else self._looked_up("R->H", criterion, said.id)
        if best:
            return Translation(best, "dictionary")
        language, phrases = self._language(said.message), self.run.english.spoken()
        scores = make_criterion(named(self.criteria["R->H"], criterion)).scores(language, phrases, self._contexts)
        return Translation(ranked(scores[0], phrases.ids.tolist(), phrases.texts(), N_BEST), "scored")

    def into_neuralese(self, parts: Sequence[int], criterion: str) -> tuple[Translation, Said]:
        """Phrases said together in neuralese, and the message itself."""
        number = parts[0] if len(parts) == 1 else self._utterances.get(tuple(sorted(parts)))
        best, how = ([] if number is None else self._looked_up("H->R", criterion, number)), "dictionary"
        if not best:
            how, vocabulary = "scored", self.run.neuralese("train")
            told = Composed(self.run.english, (tuple(parts),))
            asked = make_criterion(named(self.criteria["H->R"], criterion))
            scores = asked.scores(told, vocabulary, self._contexts, dtype=SINGLE)
            best = ranked(scores[0], vocabulary.ids.tolist(), vocabulary.texts(), N_BEST)
        return Translation(best, how), self._of_vocabulary(self._vocabulary[best[0].id])

    @cached_property
    def _utterances(self) -> dict[tuple[int, ...], int]:
        return {tuple(sorted(parts)): number for number, parts in enumerate(self.run.parts)}

    def interpret_into_english(self, said: Said, states: Tensor) -> Translation:
        """The phrases that say the same as a message about these candidates, by the divergence of beliefs."""
        phrases, likely = self.run.english.spoken(), self._message_likelihood(said, states)
        belief = beliefs(likely)
        scores = cross_entropies(likely, phrases, self.game.candidates(states)) + (belief.exp() * belief).sum()
        return Translation(ranked(scores[0].clamp(min=0), phrases.ids.tolist(), phrases.texts(), N_BEST), "interpreter")

    def interpret_into_neuralese(self, parts: Sequence[int], states: Tensor) -> tuple[Translation, Said]:
        """What the robot itself would most likely say in the candidate that the words point to."""
        likely = self._words_likelihood(parts, states)
        place = int(interpret_words(likely, self.run.neuralese("train"), self.game.candidates(states)))
        return Translation([], "interpreter"), self._of_vocabulary(place)

    def _of_vocabulary(self, place: int) -> Said:
        said = self.run.said["train"]
        return Said(said.messages[place : place + 1], int(said.ids[place]))

    @cached_property
    def _guess(self) -> Guess:
        if self.game.asks:
            return guess_by_playing(self.run.cell, self.game)
        return guess_by_likelihood(self.run.robot, self.game)

    def pick(self, said: Said, states: Tensor, generator: torch.Generator) -> int:
        """Which candidate the robot picks; ties are broken at random."""
        preferred = self._guess(said.message, states, generator)[0]
        best = torch.nonzero(preferred == preferred.max()).flatten()
        return int(best[torch.randint(len(best), (), generator=generator)])

    def message_belief(self, said: Said, states: Tensor) -> list[float]:
        """What a message says about the candidates, by p(z | x) of the robot."""
        return beliefs(self._message_likelihood(said, states))[0].exp().tolist()

    def words_belief(self, parts: Sequence[int], states: Tensor) -> list[float]:
        """What words say about the candidates, by p(z | x) of humans."""
        return beliefs(self._words_likelihood(parts, states))[0].exp().tolist()

    def _message_likelihood(self, said: Said, states: Tensor) -> Tensor:
        return self._language(said.message).log_likelihood(self.game.candidates(states))[0]

    def _words_likelihood(self, parts: Sequence[int], states: Tensor) -> Tensor:
        return Composed(self.run.english, (tuple(parts),)).log_likelihood(self.game.candidates(states))[0]

    def _language(self, message: Messages) -> Neuralese:
        return replace(self.run.neuralese("train"), messages=message, ids=torch.zeros(len(message), dtype=torch.long))


def load_robot(results: Path, task: str, seed: int) -> Robot:
    """The robot trained with `seed`."""
    of_seed = results / task / f"seed{seed}"
    dictionary, facts = of_seed / "dictionary.parquet", tasks.get(task)
    files = [*facts.files["game"], *facts.files["human"], "<data>/{task}/utterances.parquet"]
    files += facts.files["robot"] if facts.files["history"] else ()
    needed = [results / file.partition("/")[2].format(task=task, seed=seed) for file in files]
    needed += [of_seed / name for name in OF_SEED]
    for path in needed:
        if not path.exists():
            raise NeuraleseError(f"{path} does not exist yet; run `neuralese run {dictionary}` first.")
    robot = Robot(Run.open(results, task, seed), dictionary)
    if not robot.names:
        raise NeuraleseError(f"{dictionary} does not name its criteria; delete it and remake it.")
    return robot
