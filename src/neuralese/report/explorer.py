"""What the page shows of one task and seed, above all its dictionary, as plain values small enough to embed."""

from collections import Counter
from collections.abc import Collection
from dataclasses import replace

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.messages import Sequences, Speech
from neuralese.evaluate.belief import best_translations
from neuralese.evaluate.comparison import p_text
from neuralese.report.claims import SURE
from neuralese.stages.run import Run
from neuralese.storage.files import read_json
from neuralese.storage.tables import matrix, read_table
from neuralese.translate.languages import Composed, English, Language, Neuralese
from neuralese.translate.pairs import beliefs

EXPLORED = 40  # test messages that can be looked up; beliefs are shown over their states
CLOUD = 400  # test messages in the cloud
LISTED = 60  # messages of symbols in the list
MOSTLY = 0.5  # share of the messages translated by two phrases from which that is mentioned
LEARNED = ("update", "success", "reward")  # what learning curves show
NO_SYMBOLS = "(nothing)"  # how an empty message is written
EXAMPLES = 12  # messages shown as examples, if there are no games to watch
# kinds of translations: a phrase, phrases said together, a message the robot said, or one made for a phrase
KINDS = {("R->H", False): "phrase", ("R->H", True): "bag", ("H->R", False): "message", ("H->R", True): "new"}


def gather(run: Run, criterion: str) -> dict:
    """Everything the page shows of a task and seed, with the English of messages by `criterion`."""
    said, phrases, protocol = run.said, run.english.texts(), run.table("protocol.parquet")
    dictionary, synthesis = (run.table(name, "dictionary") for name in ("dictionary.parquet", "synthesis.parquet"))
    explored, best = said["test"].first(EXPLORED), best_translations(dictionary, "R->H", criterion)
    new = read_table(run.files["new_messages.parquet"], "messages")
    made = said["train"].first(0)
    if new.num_rows:  # nobody said them in any state
        ids = torch.from_numpy(new["message_id"].to_numpy().astype("int64"))
        made = Speech(ids, torch.empty(len(ids), 0), torch.from_numpy(matrix(new["message"]).copy()))
    found = explore(
        pd.concat([dictionary.assign(new=False), synthesis.assign(new=True)]),
        run.states.candidates(explored.states),
        english=run.english,
        spoken=run.language(explored),
        vocabulary=run.neuralese("train"),
        made=run.language(made),
        bags=run.table("bags.parquet"),
    )
    said_in: dict[int, list] = {}
    spelled: dict[int, str] = {}
    for each in said.values():
        texts = each.messages.texts() if isinstance(each.messages, Sequences) else [None] * len(each.ids)
        for number, state, text in zip(each.ids.tolist(), each.states.tolist(), texts, strict=True):
            if number in found["beliefs"]["message"]:
                said_in[number] = state
                spelled |= {} if text is None else {number: text or NO_SYMBOLS}
    shown, watched = cloud(said["test"], best), run.task.watched_games(run.files)
    curves = run.table("history.parquet") if "history.parquet" in run.files else None
    return {
        "task": run.task.name,
        "seed": run.seed,
        "data": run.data,
        "criterion": criterion,
        "phrases": phrases,
        "states": explored.states.tolist(),
        "explored": explored.ids.tolist(),
        "said_in": said_in,
        **found,
        "cloud": shown,
        "symbols": symbol_table(said["test"], best),
        "spelled": spelled,
        "games": examples(run, explored.first(EXAMPLES), best) if watched is None else watched,
        "history": None if curves is None else curves[[*LEARNED]].astype(float).round(4).to_dict("list"),
        "protocol": protocol[["measure", "variable", "value"]].to_dict("records"),
        "verdicts": verdicts(protocol),
        "warnings": read_json(run.files["provenance.json"]).get("warnings", []),
        "repeated": repeated([best[number] for number in said["test"].ids.tolist()], phrases, protocol),
        **run.task.described(run.files, shown["states"], said_in.values()),
    }


def explore(
    dictionary: pd.DataFrame,
    candidates: Tensor,
    english: English,
    spoken: Neuralese,
    vocabulary: Neuralese,
    made: Neuralese,
    bags: pd.DataFrame,
) -> dict:
    """Translations by criterion and direction, beliefs in percent that the first candidate is true, and texts.

    `spoken` are the messages that can be looked up, `vocabulary` those into which phrases are translated, `made` new
    ones, `bags` phrases said together. Of human utterances, single phrases are shown. In rows of the dictionary in
    which `new` is true, translations are new messages or bags.
    """
    sources, into_english = dictionary["source_id"], dictionary["direction"] == "R->H"
    known = {True: spoken.ids.tolist(), False: english.ids.tolist()}
    dictionary = dictionary[sources.isin(known[True]) & into_english | sources.isin(known[False]) & ~into_english]
    translations = []
    used: dict[str, set[int]] = {kind: set() for kind in KINDS.values()}
    for (criterion, direction, new), rows in dictionary.groupby(["criterion", "direction", "new"], sort=False):
        kind = KINDS[direction, new]
        best: dict[int, list] = {}
        for row in rows.sort_values(["source_id", "rank"]).itertuples():
            score = round(row.score, 3) if np.isfinite(row.score) else None  # none for a pair that shares no context
            best.setdefault(int(row.source_id), []).append([int(row.target_id), score])
        used[kind].update(rows["target_id"].tolist())
        translations.append({"criterion": criterion, "direction": direction, "kind": kind, "best": best})
    new = dictionary[dictionary["new"] & (dictionary["direction"] == "H->R")]
    bags = bags.set_index("bag_id").loc[sorted(used["bag"])]
    composed = Composed(english, tuple(tuple(parts) for parts in bags["parts"]))
    believed = {
        "phrase": _believed(english, candidates),
        "message": _believed(spoken, candidates) | _believed(_only(vocabulary, used["message"]), candidates),
        "new": _believed(_only(made, used["new"]), candidates),
        "bag": dict(zip(map(int, bags.index), _believed(composed, candidates).values(), strict=True)),
    }
    texts = dict(zip(map(int, bags.index), bags["text"], strict=True))
    made_for = dict(zip(map(int, new["target_id"]), new["source"], strict=True))
    return {"translations": translations, "beliefs": believed, "bags": texts, "made_for": made_for}


def _only(language: Neuralese, ids: Collection[int]) -> Neuralese:
    rows = torch.tensor([number in ids for number in language.ids.tolist()], dtype=torch.bool)
    return replace(language, messages=language.messages[rows], ids=language.ids[rows])


def _believed(language: Language, candidates: Tensor) -> dict[int, list[int]]:
    """For each message, how strongly its listener believes that the first candidate of each context is true."""
    if not len(language):
        return {}
    percent = beliefs(language.log_likelihood(candidates).double())[..., 0].exp().mul(100).round().int().tolist()
    return dict(zip(language.ids.tolist(), percent, strict=True))


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


def symbol_table(said: Speech, best: dict[int, int], count: int = LISTED) -> list[dict]:
    """The most frequent messages of symbols, with count, translation and a state; for vectors, nothing."""
    if not isinstance(said.messages, Sequences):
        return []
    distinct, place, counts = said.messages.distinct()
    first = {int(each): row for row, each in reversed(list(enumerate(place.tolist())))}
    texts = distinct.texts()
    return [
        {
            "text": texts[number] or NO_SYMBOLS,
            "count": int(counts[number]),
            "phrase": best[int(said.ids[first[number]])],
            "state": said.states[first[number]].tolist(),
        }
        for number in counts.argsort(descending=True, stable=True)[:count].tolist()
    ]


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


def examples(run: Run, said: Speech, best: dict[int, int]) -> list[dict]:
    """What is `said` in English, and how well the robot guesses from the message and the model human from the English.

    Credit is 1 for the right state, 0 for a wrong one, and shared between candidates that are tied.
    """
    listeners = run.listeners("test")
    phrases = [best[number] for number in said.ids.tolist()]
    by_robot = listeners.robot.credit(said.messages, said.states, run.generator("report"))
    by_human = listeners.human.credit(run.heard[torch.tensor(phrases)], said.states)
    rows = zip(said.ids.tolist(), said.states.tolist(), phrases, by_robot.tolist(), by_human.tolist(), strict=True)
    return [dict(zip(("message", "state", "phrase", "robot", "human"), row, strict=True)) for row in rows]
