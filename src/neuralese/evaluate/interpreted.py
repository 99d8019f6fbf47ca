"""What listeners hear from an interpreter, who knows their context: an upper bound on dictionaries."""

from dataclasses import dataclass

import torch
from torch import Tensor

from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import HumanSpeech, Way
from neuralese.evaluate.listeners import guess_by_likelihood
from neuralese.translate.families import INFORMED
from neuralese.translate.interpreter import interpret_message, interpret_words, words_in_context
from neuralese.translate.languages import English, Neuralese

NAME, TITLE = "interpreter", "interpreter (knows the listener's context)"


@dataclass(frozen=True)
class Interpreter:
    """Translates both ways, by the same models of p(z | x) as the dictionaries."""

    english: English
    vocabulary: Neuralese
    heard: Tensor  # (phrases, words) what the model human hears for each phrase
    utterances: Tensor  # (utterances, phrases) which phrases each utterance consists of

    def way(self, robot: Speech, human: HumanSpeech) -> Way:
        """What the listeners of `robot` and `human` hear, each in its own context."""
        messages = {unit: self.vocabulary.messages[self.message(human, said)] for unit, said in human.units.items()}
        return Way(NAME, TITLE, INFORMED, "belief", self.heard[self.phrase(robot)], messages)

    def phrase(self, robot: Speech) -> Tensor:
        """The phrase for each of the robot's messages, (n,)."""
        game, phrases = self.vocabulary.game, self.english.spoken()
        meant = guess_by_likelihood(self.vocabulary.speaker, game)(robot.messages, robot.states, torch.Generator())
        return phrases.ids[interpret_message(meant, phrases, game.candidates(robot.states))]

    def message(self, human: HumanSpeech, said: Tensor) -> Tensor:
        """The message, by position in the vocabulary, for each of the utterances `said` (n,)."""
        candidates = self.vocabulary.game.candidates(human.states)
        meant = words_in_context(self.english, self.utterances[said], candidates)
        return interpret_words(meant, self.vocabulary, candidates)
