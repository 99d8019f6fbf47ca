"""A run with both languages: what the robot says, what humans say, and the contexts in which they are compared."""

from functools import cached_property
from typing import Any

from torch import Tensor

from neuralese.agents.messages import Speech, read_contexts, read_messages
from neuralese.speakers.models import HumanSpeaker, load_model
from neuralese.speakers.robots import load_robot
from neuralese.tasks.human import HumanRun
from neuralese.translate.languages import Composed, English, Neuralese
from neuralese.translate.utterances import Parts, load_parts


class TalkRun(HumanRun):
    """See `HumanRun`."""

    @cached_property
    def robot(self) -> Any:
        """p(z | x) of the robot, a `Speaker` of vectors or of symbols."""
        return load_robot(self.files["robot_speaker.safetensors"], self.states)

    @cached_property
    def english(self) -> English:
        """What humans say: the inventory, by p(z | x) of humans."""
        return English(
            self.states, load_model(self.files["human_speaker.safetensors"], HumanSpeaker, self.states), self.phrases
        )

    @cached_property
    def parts(self) -> Parts:
        """The phrases of every utterance."""
        return load_parts(self.files["utterances.parquet"])

    @property
    def utterances(self) -> Composed:
        """Everything that humans said in one go."""
        return Composed(self.english, self.parts)

    @cached_property
    def said(self) -> dict[str, Speech]:
        """What the robot said, by split."""
        return read_messages(self.files["messages.parquet"], self.states)

    def neuralese(self, split: str, first: int | None = None) -> Neuralese:
        """What the robot said in one split, or the first of it; the training split is what one translates into."""
        return self.language(self.said[split].first(first))

    def language(self, said: Speech) -> Neuralese:
        """Some messages as a language."""
        return Neuralese(self.states, self.robot, said.messages, said.ids)

    @cached_property
    def context_states(self) -> Tensor:
        """The speaker states (n, s, ...) of the contexts."""
        return read_contexts(self.files["contexts.parquet"], self.states)

    def contexts(self, first: int | None = None) -> Tensor:
        """The candidates (n, s, s, ...) of the contexts, or of the first of them."""
        return self.states.candidates(self.context_states[:first])
