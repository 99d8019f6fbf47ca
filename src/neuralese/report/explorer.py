"""What the page shows of one task and seed, as plain values small enough to embed."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Sequences, Speech
from neuralese.evaluate.belief import best_translations
from neuralese.evaluate.comparison import p_text
from neuralese.evaluate.listeners import Listener, ModelRobot
from neuralese.report.claims import SURE
from neuralese.stages.run import Run
from neuralese.storage.files import read_json
from neuralese.translate.languages import Composed

CLOUD = 400  # test messages drawn at random: those of the cloud, where phrases are looked up
EXPLORED = 42  # the first of them, which can be looked up: in the explorer, and as examples
NEXT = 5  # translations of each that are shown
LISTED = 60  # messages of symbols in the list
MOSTLY = 0.5  # share of the messages translated by two phrases from which that is mentioned
NO_SYMBOLS = "(nothing)"  # how an empty message is written


def gather(run: Run, criterion: str) -> dict:
    """Everything the page shows of a task and seed, with the English of messages by `criterion`."""
    test, protocol, dictionary = run.said["test"], run.table("protocol.parquet"), run.table("dictionary.parquet")
    described = run.table("descriptions.parquet").rename(columns={"message_id": "source_id", "text": "target"})
    into_english, into_neuralese = (best_translations(dictionary, way, criterion) for way in ("R->H", "H->R"))
    translated = [into_english[number] for number in test.ids.tolist()]
    drawn = some(test, torch.randperm(len(test.ids), generator=run.generator("report"))[:CLOUD])
    explored, human = drawn.first(EXPLORED), run.listeners("test").human
    understood = human.credit(run.heard[torch.tensor(translated)], test.states)
    bags = Composed(run.english, tuple(tuple(parts) for parts in described["parts"]))
    described = described.assign(direction="R->H", criterion="description", rank=1, target_id=range(len(described)))
    words = {False: run.heard, True: bags.heard(run.heard)}  # what is heard for a target, by whether it is a bag
    found = pd.concat([dictionary.assign(bag=False), described.assign(bag=True)])
    phrases = look_up(run.english.texts(), translated, understood, into_neuralese, run.said["train"])
    shown, watched = cloud(test, drawn, into_english), run.task.watched_games(run.files)
    curves = run.table("history.parquet") if "history.parquet" in run.files else None
    pictured = shown["states"] + [each["said_in"] for each in phrases if each["said_in"]]
    return {
        "task": run.task.name,
        "seed": run.seed,
        "data": run.data,
        "criterion": criterion,
        "comparative": sees_others(run, explored.states),
        "of": len(test.ids),
        "right": round(float(understood.mean()), 4),
        "messages": explore(explored, found, criterion, words, human, ModelRobot(run.robot, run.states)),
        "phrases": phrases,
        "cloud": shown,
        "symbols": symbol_table(test, into_english),
        "games": watched,
        "history": None
        if curves is None
        else curves[["update", "success", "reward"]].astype(float).round(4).to_dict("list"),
        "protocol": protocol[["measure", "variable", "value"]].to_dict("records"),
        "verdicts": verdicts(protocol),
        "warnings": read_json(run.files["provenance.json"]).get("warnings", []),
        "repeated": repeated(translated, run.english.texts(), protocol),
        **run.task.described(run.files, pictured, []),
    }


def some(said: Speech, rows: Tensor) -> Speech:
    """Some of what was said."""
    return Speech(said.ids[rows], said.states[rows], said.messages[rows])


def written(messages: Any) -> list:
    """Messages as the page shows them: symbols as text, vectors as their numbers."""
    if isinstance(messages, Sequences):
        return [text or NO_SYMBOLS for text in messages.texts()]
    return messages.double().numpy().round(2).tolist()


def sees_others(run: Run, states: Tensor) -> bool:
    """Whether speakers see the distractors, so that what they say is a comparison."""
    swapped = torch.cat([states[:, :1], states.roll(1, 0)[:, 1:]], dim=1)
    return not torch.equal(run.states.speaker_view(states), run.states.speaker_view(swapped))


def explore(
    said: Speech, dictionary: pd.DataFrame, criterion: str, words: dict[bool, Tensor], human: Listener, robot: Listener
) -> list[dict]:
    """Each message with its states, its translations, and how strongly either listener believes in each state.

    `words` are what is heard for the targets of the dictionary, by its column `bag`. Translations are [criterion,
    text, beliefs], first descriptions, then the best ones by `criterion`, then the best by each other one.
    """
    place = {number: row for row, number in enumerate(said.ids.tolist())}
    into = dictionary[(dictionary["direction"] == "R->H") & dictionary["source_id"].isin(place)]
    ours = into["criterion"] == criterion
    into = into.assign(other=np.where(into["bag"], 0, 2 - ours))[into["rank"] <= np.where(ours, NEXT, 1)]
    into = into.sort_values(["other", "rank"], kind="stable")
    rows = into["source_id"].map(place).tolist()
    heard = torch.stack([words[bag][target] for bag, target in zip(into["bag"], into["target_id"], strict=True)])
    beliefs, english = believed(human, heard, said.states[rows]), [list[list]() for _ in place]
    for row, *each in zip(rows, into["criterion"], into["target"], beliefs, strict=True):
        english[row].append(each)
    columns = said.ids, said.states, written(said.messages), believed(robot, said.messages, said.states), english
    names = ("id", "states", "message", "robot", "english")
    every = (column.tolist() if isinstance(column, Tensor) else column for column in columns)
    return [dict(zip(names, row, strict=True)) for row in zip(*every, strict=True)]


def believed(listener: Listener, heard: Any, states: Tensor) -> list[list[float]]:
    """How strongly a listener, or several on average, believes in each candidate, the true one first."""
    beliefs = listener.preferences(heard, states).double().softmax(-1)
    return (beliefs if beliefs.ndim == 2 else beliefs.mean(0)).numpy().round(3).tolist()


def look_up(
    phrases: Sequence[str], translated: list[int], understood: np.ndarray, into: dict[int, int], vocabulary: Speech
) -> list[dict]:
    """Each phrase with how many test messages it translates, how often these are understood, and a message for it."""
    counts = np.bincount(translated, minlength=len(phrases))
    right = np.bincount(translated, weights=understood, minlength=len(phrases)) / counts.clip(1)
    place = {number: row for row, number in enumerate(vocabulary.ids.tolist())}
    messages = some(vocabulary, torch.tensor([place[into[each]] for each in sorted(into)], dtype=torch.long))
    said = iter(zip(written(messages.messages), messages.states.tolist(), strict=True))
    found = []
    for number, phrase in enumerate(phrases):
        message, states = next(said) if number in into else (None, None)
        known = {"text": phrase, "count": int(counts[number]), "right": round(float(right[number]), 3)}
        found.append(known | {"message": message, "said_in": states})
    return found


def cloud(said: Speech, drawn: Speech, best: dict[int, int]) -> dict:
    """Some messages with their states and translations, and where they lie in the two main directions of all.

    Symbols have no directions: they are shown by `symbol_table`.
    """
    ids = drawn.ids.tolist()
    shown = {"ids": ids, "states": drawn.states.tolist(), "phrases": [best[number] for number in ids]}
    if isinstance(said.messages, Sequences):
        return shown
    messages = said.messages.numpy()
    values, directions = np.linalg.eigh(np.cov((messages - messages.mean(0)).T))
    points = (drawn.messages.numpy() - messages.mean(0)) @ directions[:, [-1, -2]]
    # the sign of a direction is arbitrary: make the farthest point of each positive
    points *= np.sign(points[np.abs(points).argmax(0), [0, 1]])
    return shown | {
        "share": [round(float(values[-1] / values.sum()), 4), round(float(values[-2] / values.sum()), 4)],
        "x": points[:, 0].round(3).tolist(),
        "y": points[:, 1].round(3).tolist(),
    }


def symbol_table(said: Speech, best: dict[int, int], count: int = LISTED) -> list[dict]:
    """The most frequent messages of symbols, with count, translation and a state; for vectors, nothing."""
    if not isinstance(said.messages, Sequences):
        return []
    phrases = [best[number] for number in said.ids.tolist()]
    table = pd.DataFrame({"text": written(said.messages), "phrase": phrases, "state": said.states.tolist()})
    groups = table.groupby("text", sort=False)
    listed = groups.first().assign(count=groups.size()).sort_values("count", ascending=False, kind="stable")
    return listed.head(count).reset_index().to_dict("records")


def verdicts(protocol: pd.DataFrame) -> list[str]:
    """Verdicts of the tests, if any, of whether messages say anything about each variable."""
    tested, bits = (
        protocol[protocol["measure"] == name].set_index("variable")["value"] for name in ("p_value", "information")
    )
    found = []
    for name, p_value in tested.items():
        about = f"about {name}" if name else "about the states"
        if not p_value < SURE:
            found.append(f"A permutation test finds nothing that these messages say {about} (p {p_text(p_value)}).")
            continue
        told = f", at least {bits[name]:.2f} bits" if pd.notna(bits.get(name)) else ""
        found.append(f"These messages say something {about}{told} (permutation test, p {p_text(p_value)}).")
    return found


def repeated(translations: list[int], phrases: list[str], protocol: pd.DataFrame) -> str:
    """If two phrases translate most messages: why the same words keep coming back."""
    counts = Counter(translations).most_common(2)
    share = sum(count for _, count in counts) / max(len(translations), 1)
    if share < MOSTLY:
        return ""
    of_all = protocol[protocol["variable"].fillna("") == ""].set_index("measure")["value"]
    dimension = of_all.get("effective_dimension", float("nan"))
    words = " or ".join(f"“{phrases[phrase]}”" for phrase, _ in counts)
    told = f"{share:.0%} of the test messages are translated as {words}."
    if not dimension < 2:
        return f"{told} The same few words recur because no others come closer to most of these messages."
    clusters = f" and fall into {of_all['clusters']:.0f} clusters" if pd.notna(of_all.get("clusters")) else ""
    return (
        f"{told} This agent says almost one bit, for which few words are needed: its messages lie almost on a line "
        f"(effective dimension {dimension:.1f} before noise, where 1 is a line){clusters}."
    )
