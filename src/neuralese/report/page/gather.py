"""What the page shows for one task and seed, as plain values small enough to embed in the page."""

from collections import Counter
from pathlib import Path

import numpy as np
import pandas as pd
import torch

from neuralese.agents.messages import Sequences, Speech
from neuralese.evaluate.belief import best_translations
from neuralese.evaluate.comparison import p_text
from neuralese.report.page.explorer import Explorer
from neuralese.stages.run import Run
from neuralese.storage.files import read_json
from neuralese.storage.tables import matrix, read_table

EXPLORED = 40  # number of test messages that can be looked up; beliefs are shown over their states
CLOUD = 400  # number of test messages in the cloud
LISTED = 60  # number of messages of symbols listed
SURE = 0.05  # a p value below it counts
MOSTLY = 0.5  # share of the messages translated by two phrases from which that is mentioned
EXAMPLES = 12  # number of messages shown as examples, if there are no games to watch


def gather(run: Run, criterion: str) -> dict:
    """Everything the page shows for a task and seed, with the English of the cloud and the games by `criterion`."""
    said = run.said
    dictionary, synthesis = (
        read_table(run.files[f"{name}.parquet"], "dictionary").to_pandas() for name in ("dictionary", "synthesis")
    )
    spoken, new = said["test"].first(EXPLORED), new_messages(run.files["new_messages.parquet"], said["train"])
    bags = read_table(run.files["bags.parquet"], "bags").to_pandas()
    explorer = Explorer(run.english, run.language(spoken), run.neuralese("train"), run.language(new), bags)
    both = pd.concat([dictionary.assign(new=False), synthesis.assign(new=True)])
    explored = explorer.values(both, run.states.candidates(spoken.states))
    best = best_translations(dictionary, "R->H", criterion)
    said_in = _said_in(said, explored["beliefs"]["message"])
    shown = cloud(said["test"], best)
    learned = run.files.get("history.parquet")
    protocol = read_table(run.files["protocol.parquet"], "protocol").select(["measure", "variable", "value"])
    return {
        "task": run.task.name,
        "seed": run.seed,
        "data": run.data,
        "criterion": criterion,
        "phrases": run.english.texts(),
        "states": spoken.states.tolist(),
        "explored": spoken.ids.tolist(),
        "said_in": said_in,
        **explored,
        "cloud": shown,
        "symbols": symbol_table(said, best),
        "spelled": spelled(said, explored["beliefs"]["message"]),
        "games": games(run, spoken.first(EXAMPLES), best),
        "history": None if learned is None else history(read_table(learned, "history").to_pandas()),
        "protocol": protocol.to_pylist(),
        "verdicts": verdicts(protocol.to_pandas()),
        "warnings": read_json(run.files["provenance.json"]).get("warnings", []),
        "repeated": repeated(
            [best[number] for number in said["test"].ids.tolist()], run.english.texts(), protocol.to_pandas()
        ),
        **run.task.described(run.files, shown["states"], said_in.values()),
    }


def games(run: Run, said: Speech, best: dict[int, int]) -> list[dict]:
    """The games of a task to watch, or examples of what is said and whether it is understood."""
    watched = run.task.watched_games(run.files)
    return examples(run, said, best) if watched is None else watched


def new_messages(path: Path, otherwise: Speech) -> Speech:
    """The new messages, if any; nobody said them in any state."""
    table = read_table(path, "messages")
    if not table.num_rows:
        return otherwise.first(0)
    ids = torch.from_numpy(table["message_id"].to_numpy().astype("int64"))
    return Speech(ids, torch.empty(len(ids), 0), torch.from_numpy(matrix(table["message"]).copy()))


def _said_in(said: dict[str, Speech], wanted: dict[int, list]) -> dict[int, list]:
    """The state in which each of the `wanted` messages was said."""
    found: dict[int, list] = {}
    for speech in said.values():
        for number, state in zip(speech.ids.tolist(), speech.states.tolist(), strict=True):
            if number in wanted:
                found[number] = state
    return found


def cloud(said: Speech, best: dict[int, int], count: int = CLOUD) -> dict:
    """The first messages in the two directions in which messages differ most, with their states and translations.

    Symbols have no directions: they are shown by `symbol_table`.
    """
    if isinstance(said.messages, Sequences):
        return {"states": said.states[:count].tolist(), "ids": []}
    messages = said.messages.numpy()
    centred = messages - messages.mean(0)
    values, directions = np.linalg.eigh(np.cov(centred.T))
    points = centred[:count] @ directions[:, [-1, -2]]
    # the sign of a direction is arbitrary: make the farthest point of each positive
    points *= np.sign(points[np.abs(points).argmax(0), [0, 1]])
    ids = said.ids[:count].tolist()
    return {
        "share": [round(float(values[-1] / values.sum()), 4), round(float(values[-2] / values.sum()), 4)],
        "x": points[:, 0].round(3).tolist(),
        "y": points[:, 1].round(3).tolist(),
        "ids": ids,
        "phrases": [best[number] for number in ids],
        "states": said.states[:count].tolist(),
    }


def spelled(said: dict[str, Speech], wanted: dict[int, list]) -> dict[int, str]:
    """The symbols of each of the `wanted` messages; nothing for vectors."""
    found: dict[int, str] = {}
    for speech in said.values():
        if isinstance(speech.messages, Sequences):
            texts = zip(speech.ids.tolist(), speech.messages.texts(), strict=True)
            found |= {number: text or "(nothing)" for number, text in texts if number in wanted}
    return found


def symbol_table(said: dict[str, Speech], best: dict[int, int], count: int = LISTED) -> list[dict]:
    """The most frequent messages of symbols on test: how often each was said, its translation, and where."""
    test = said["test"]
    if not isinstance(test.messages, Sequences):
        return []
    distinct, place, counts = test.messages.distinct()
    first = {int(each): row for row, each in reversed(list(enumerate(place.tolist())))}
    texts = distinct.texts()
    return [
        {
            "text": texts[number] or "(nothing)",
            "count": int(counts[number]),
            "phrase": best[int(test.ids[first[number]])],
            "state": test.states[first[number]].tolist(),
        }
        for number in counts.argsort(descending=True, stable=True)[:count].tolist()
    ]


def verdicts(protocol: pd.DataFrame) -> list[str]:
    """Verdicts of the tests of whether messages say anything about each variable, if there were tests."""
    tested = protocol[protocol["measure"] == "p_value"].set_index("variable")["value"]
    bits = protocol[protocol["measure"] == "information"].set_index("variable")["value"]
    found = []
    for name, p_value in tested.items():
        about = f"about {name}" if name else "about the states"
        if p_value < SURE:
            told = f", at least {bits[name]:.2f} bits" if pd.notna(bits.get(name)) else ""
            found.append(f"These messages say something {about}{told} (permutation test, p {p_text(p_value)}).")
        else:
            found.append(f"A permutation test finds nothing that these messages say {about} (p {p_text(p_value)}).")
    return found


def repeated(translations: list[int], phrases: list[str], protocol: pd.DataFrame) -> str:
    """Why the same words keep coming back, if two phrases translate most messages; otherwise nothing."""
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
        f"{told} This agent says little more than one of two things: its messages lie almost on a line (effective "
        f"dimension {dimension:.1f} before noise, where 1 is a line){clusters}. That is almost one bit, for which few "
        "words are needed."
    )


def history(table: pd.DataFrame) -> dict[str, list]:
    """A learning curve."""
    return {name: table[name].astype(float).round(4).tolist() for name in ("update", "success", "reward")}


def examples(run: Run, said: Speech, best: dict[int, int]) -> list[dict]:
    """What is `said` in English, and whether the robot that hears it, and the model human that hears the English, guess
    right. Credit is 1 for the right state, 0 for a wrong one, and shared between candidates that are tied.
    """
    listeners = run.listeners("test")
    phrases = [best[number] for number in said.ids.tolist()]
    by_robot = listeners.robot_credit(said.messages, said.states, run.generator("report"))
    by_human = listeners.human_credit(run.heard[torch.tensor(phrases)], said.states)
    rows = zip(said.ids.tolist(), said.states.tolist(), phrases, by_robot.tolist(), by_human.tolist(), strict=True)
    return [dict(zip(("message", "state", "phrase", "robot", "human"), row, strict=True)) for row in rows]
