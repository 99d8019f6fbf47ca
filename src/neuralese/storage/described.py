"""What a file of the results is and what its columns mean, in words; `tools/file_table.py` makes a page of it.

Stages do not import this: to word something better reruns nothing. A test holds it against the contracts.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from neuralese.storage.tables import Contract, contract_of


@dataclass(frozen=True)
class Described:
    """A file of the results; if it is a table, with its contract and what is particular about its columns."""

    meaning: str
    contract: Contract | None = None
    columns: Mapping[str, str] = field(default_factory=dict)  # where they mean something else than elsewhere

    def column(self, name: str) -> str:
        """What a column means: here, in tables of this kind, or wherever it is."""
        kind = "" if self.contract is None else self.contract.name
        return {**COLUMNS, **OF_KIND.get(kind, {}), **self.columns}[name]


def table(kind: str, meaning: str) -> Described:
    """A table that keeps one of the contracts that every task has."""
    return Described(meaning, contract_of(kind))


def _over(measures: Iterable[str]) -> dict[str, str]:
    """Columns that compare a measure with a reference on the same games."""
    told = {
        "": "How much more {measure} than {reference}, on the same games.",
        "_error": "Its standard error.",
        "_p": "The p-value of the paired test.",
    }
    references = {"silence": "in silence", "control": "by the control", "baseline": "by the baseline"}
    return {
        f"{measure}_over_{name}{of}": text.format(measure=measure, reference=reference)
        for measure in measures
        for name, reference in references.items()
        for of, text in told.items()
    }


# whatever table they are in
COLUMNS = {
    "task": "The task.",
    "seed": "The seed.",
    "split": "`train`, `dev` or `test`.",
    "data": "Which data it was made from: `official`, `mirror`, `embedded` or `corpus`.",
    "n": "How many items or games were measured.",
    "n_turns": "How many turns it had.",
    "count": "How often it was said.",
    "title": "What the criterion is called in tables.",
    "role": "What it is there for: `printed`, `released`, `ours`, `baseline`, `control`, ...",
    "kind": "The criterion's kind: `belief`, `direct`, `pmi`, `random`, or that of a package of your own.",
    "criterion": "The criterion by its name in the config, or a control.",
    "speaker": "Who speaks: `R` or `H`.",
    "listener": "Who guesses: `R`, `R*` or `H*`.",
    "pair": "Who plays with whom, such as `R/H`.",
    "phrase_id": "Its place in the inventory, from 0.",
    "phrase": "The phrase.",
    "phrases": "Which phrases of the inventory were said together.",
    "text": "The phrases, separated by commas.",
    "parts": "Its phrases, by their place in the inventory.",
    "item_id": "The item, or the row of the table that stands for items.",
    "feature": "What players see of it.",
    "message_id": "The message's number.",
    "message": "What was said: a vector, or symbols.",
    "context_id": "The context's number.",
    "candidates": "How many states the listener chooses among.",
    "chance": "One in so many.",
    "accuracy": "How often the listener guesses the speaker's state.",
    "ci_low": "Lower end of the 95 % interval (bootstrap).",
    "ci_high": "Upper end.",
    "reward": "Mean reward of a game.",
    "completion": "Share of games that were completed.",
    **{f"{of}_ci_low": "Lower end of its 95 % interval (bootstrap)." for of in ("reward", "completion")},
    **{f"{of}_ci_high": "Upper end." for of in ("reward", "completion")},
    **_over(("reward", "completion")),
    "rank": "1 is the best.",
    "score": "By the criterion; lower is better.",
    "games": "How many games they are of.",
    "understood": "How often the model human guesses the state from the same English.",
    "image_id": "The image.",
    "picture": "Its row in `pictures.parquet`, or empty.",
}

# in tables of a kind, by the name of its contract
OF_KIND: dict[str, dict[str, str]] = {
    "items": {"item_id": "Its row, from 0."},
    "utterances": {
        "utterance_id": "Its place in this table, from 0.",
        **{split: f"How often it was said in {split}." for split in ("train", "dev", "test")},
    },
    "history": {
        "update": "Gradient steps so far.",
        "loss": "Mean loss since the row before.",
        "reward": "Mean reward of the games played.",
        "success": "Share of them that succeeded.",
        "epsilon": "How often a player acted at random.",
    },
    "meanings": {
        "candidate": "Which candidate; 0 is the true state.",
        "message": "The robot's mean message there.",
        "log_phrases": "log p of every phrase there.",
    },
    "dictionary": {
        "direction": "`R->H`, messages into English, or `H->R`, English into messages.",
        "source_id": "The message or utterance that is translated, by its number.",
        "source": "What it is called, or says.",
        "target_id": "The phrase or message that it becomes.",
        "target": "What that is called, or says.",
    },
    "belief": {
        "unit": "What is translated: a `message`, an `utterance`, or one `phrase` of it.",
        "distractors": "Where the other candidates come from.",
        "distinct": "How many different messages are among the items.",
        "gain": "Accuracy over the baseline's, on the same items.",
        "gain_error": "Its standard error.",
        "p_value": "The p-value of the paired test, over items.",
        "gain_control": "Accuracy over the control's, on the same items.",
        "gain_control_error": "Its standard error.",
    },
    "ablation": {
        "family": "The criterion of the config to which it belongs.",
        "criterion": "The member's label, such as `belief source reverse x1`.",
    },
    "criteria": {
        "member": "The member that dev chose, by its label.",
        "settings": "Its settings, as JSON.",
        "direction": "`R->H` or `H->R`.",
        "members": "How many there were to choose from.",
        "accuracy": "Its accuracy on dev, averaged over seeds.",
        "second": "The member that came second.",
        "second_accuracy": "And its accuracy on dev.",
        "seeds": "How many seeds it was chosen over.",
    },
    "protocol": {
        "measure": "Which measure.",
        "variable": "What there is to say, such as a column of the states; empty for states as a whole.",
        "value": "What it is.",
    },
    "bound": {
        "divergence": "D: how far beliefs are apart under the translations made, on average.",
        "bound": "sqrt(2 D), what Proposition 1 allows to be lost.",
        "native": "Accuracy of R → R.",
        "translated": "Accuracy of R → H*.",
        "lost": "The difference.",
    },
    "relay": {
        "criterion": "How messages were put into English and back, or a control.",
        "measure": "`accuracy`, `reward` or `completion`.",
        "value": "What was measured.",
        "share": "What survives English: (relay - silence) / (neuralese - silence).",
        "share_low": "Lower end of its 95 % interval (bootstrap).",
        "share_high": "Upper end.",
        "content": "The same with the messages of other states or games in the place of silence.",
        "content_low": "Lower end of its 95 % interval (bootstrap).",
        "content_high": "Upper end.",
        "gain_silence": "Value over that in silence, on the same items or games.",
        "gain_silence_error": "Its standard error.",
        "gain_baseline": "Value over the baseline's, on the same items or games.",
        "gain_baseline_error": "Its standard error.",
        "there": "The member, chosen on dev, that translates out of neuralese.",
        "back": "The member, chosen on dev, that translates back into it.",
    },
    "behavior": {
        "criterion": "How messages are translated, or a control.",
        "possible": "Share of the games that could be completed at all.",
    },
    "listening": {
        "criterion": "How words are translated, or a control.",
        "while_silent": "What the robot hears while the human is silent, chosen on dev.",
        "dev_reward": "Mean reward on the dev games by which that was chosen.",
    },
    "examples": {"target": "The true state.", "other": "Its distractor."},
    "bags": {"bag_id": "The bag's number."},
    "proposition_1": {
        "game": "The game.",
        "lost": "The reward that translation loses.",
        "bound": "sqrt(2 D) with contexts weighted by the source.",
        "bound_product": "The same with the weights of Equation 2, for which the inequality need not hold.",
    },
    "proposition_2": {
        "criterion": "`belief` or `direct`.",
        "rarity": "Share of humans who use the robot's code.",
        "recovered": "How often a message is translated into a word of theirs.",
    },
}
