"""The 382 driving games that pairs of humans played: server logs become tables, their messages an inventory and traces.

A log is a JSON list that begins and ends with a state, with the two players' moves between consecutive states. A state
holds the road, 8 x 8 of zeros and ones, and two cars, each with `pos` (row, column), `dir` (0 north, 1 east, 2 south,
3 west), `goal` and `done`; a move is an `action` (0 wait, 1 forward, 2 left, 3 right) and a `message`. A car that is
done may stand at [-1, -1]. Any other log is left out and reported with its file and the field at fault.

**Inventory.** Messages are lowercased and everything but letters, digits and spaces is removed. The inventory
is silence (the empty message) and every message of one to three words sent at least `least_sent` times outside the
test games.

**Traces.** A message of the inventory is that one phrase. Any other is read from left to right: at each word the
longest phrase of the inventory that begins there is taken, and reading continues after it; a word that begins none is
skipped. So "going up left lane" is *going up* and *left*. A message in which no phrase is found says nothing that
the inventory can express: it has no phrases, which is different from silence.

**Words.** The model human hears a bag of words: those that occur in at least `least_words` messages outside the test
games, and silence, which counts as a word.
"""

import json
import logging
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pandas as pd
import torch
from pydantic import BaseModel, Field, TypeAdapter, ValidationError, ValidationInfo, field_validator
from torch import Tensor

from neuralese.data.archives import members
from neuralese.errors import NeuraleseError
from neuralese.games.driving import ACTIONS, GONE, SIZE, WAIT, DrivingGame, DrivingWorld, Layouts
from neuralese.tasks.driving.task import DRIVING

log = logging.getLogger(__name__)

LOGS = DRIVING.archives[0].used
LONGEST = 3  # maximum number of words in a phrase
MOST_TYPED = 1000  # maximum number of characters in a message; the longest real one has 145
MOST_BAD = 0.05  # share of malformed logs above which something is wrong with the data as a whole
CAR = ["row", "col", "direction", "goal_row", "goal_col", "done"]
TURN = ["game", "turn", "player", *CAR, "action", "message"]


class BadLogError(ValueError):
    """Says which field of a log is wrong."""


TWO, EIGHT = (Field(min_length=length, max_length=length) for length in (2, SIZE))
ZeroOrOne = Annotated[float, Field(ge=0, le=1, multiple_of=1)]


class Car(BaseModel, strict=True):
    """One car of a state."""

    done: bool
    pos: Annotated[list[Annotated[int, Field(ge=-1, lt=SIZE)]], TWO]  # row, column
    goal: Annotated[list[Annotated[int, Field(ge=0, lt=SIZE)]], TWO]
    dir: int = Field(ge=0, lt=4)

    @field_validator("pos")
    @classmethod
    def _on_the_map(cls, place: list[int], info: ValidationInfo) -> list[int]:
        if min(place) < 0 and not (info.data.get("done") and place == [-1, -1]):
            raise ValueError
        return place


class State(BaseModel, strict=True):
    """Both cars, and the road as zeros and ones."""

    cars: Annotated[list[Car], TWO]
    road: Annotated[list[Annotated[list[ZeroOrOne], EIGHT]], EIGHT]

    @property
    def lines(self) -> str:
        """The road as eight lines, `#` for road and `.` for everything else."""
        return "\n".join("".join(".#"[int(cell)] for cell in row) for row in self.road)


class Move(BaseModel, strict=True):
    """What one player did and said."""

    action: int = Field(ge=0, lt=ACTIONS)
    message: str = Field(max_length=MOST_TYPED)


STATE, MOVES = TypeAdapter(State), TypeAdapter(Annotated[list[Move], TWO])


def _valid(adapter: TypeAdapter, value: Any, name: str) -> Any:
    try:
        return adapter.validate_python(value)
    except ValidationError as error:
        first = error.errors()[0]
    where = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"])
    found = "missing" if first["type"] == "missing" else json.dumps(first["input"], default=str)[:60]
    raise BadLogError(f"{name}{where} is {found}")


def parse_log(content: bytes) -> tuple[str, list[tuple]]:
    """One game: its road, and its turns as rows (turn, player, *CAR, action, message); the last state has no moves.

    A log that is not a game raises a `BadLogError` that names the field.
    """
    try:
        record = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise BadLogError(f"the JSON is damaged: {str(error)[:200]}") from None
    if not isinstance(record, list) or len(record) < 3 or len(record) % 2 == 0:
        raise BadLogError("it is not a list of states with moves between them")
    states = [_valid(STATE, state, f"state {number}") for number, state in enumerate(record[::2])]
    moves = [_valid(MOVES, pair, f"moves {number}") for number, pair in enumerate(record[1::2])]
    for number, state in enumerate(states):
        if state.lines != states[0].lines:
            raise BadLogError(f"state {number}.road is not that of the first state")
    said = [[(move.action, move.message) for move in pair] for pair in moves] + [[(None, "")] * 2]
    rows = [
        (turn, player, *car.pos, car.dir, *car.goal, car.done, *said[turn][player])
        for turn, state in enumerate(states)
        for player, car in enumerate(state.cars)
    ]
    return states[0].lines, rows


def parse(archive: str | Path) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, str]]:
    """Every game of the archive: maps (map, road), turns (see `TURN`, and `log`, `map`), and why logs were left out.

    Games are numbered by file name, maps in the order of their roads.
    """
    logs = sorted(members(archive, LOGS))
    if not logs:
        raise NeuraleseError(f"{archive} holds no data/drive/server_logs/*.json; download the driving data again.")
    good, bad = [], {}
    for name, content in logs:
        try:
            good.append((name, *parse_log(content)))
        except BadLogError as error:
            bad[name] = str(error)
    check_bad(bad, len(logs))
    roads = sorted({road for _, road, _ in good})
    rows = [(name, roads.index(road), number, *row) for number, (name, road, turns) in enumerate(good) for row in turns]
    turns = pd.DataFrame(rows, columns=["log", "map", *TURN]).astype({"action": "Int8"})
    return pd.DataFrame({"map": range(len(roads)), "road": roads}), turns, bad


def check_bad(bad: dict[str, str], total: int) -> None:
    """Report malformed logs; too many of them stop the run."""
    for name, why in bad.items():
        log.warning("%s is left out: %s", name, why)
    if len(bad) > MOST_BAD * total:
        name, why = next(iter(bad.items()))
        raise NeuraleseError(
            f"{len(bad)} of {total} driving logs are malformed (for example {name}: {why}), more than "
            f"{MOST_BAD:.0%}; download the archive again, or fix the logs."
        )


def leave_out(
    played: pd.DataFrame, turns: pd.DataFrame, bad: dict[str, str]
) -> tuple[pd.DataFrame, pd.DataFrame, dict[str, str]]:
    """Leave out games that, `played` again, do not end as logged (`wrong` says why): games, turns, all bad."""
    logs = turns.groupby("game", as_index=False)[["log", "map"]].first()
    games = played.merge(logs, on="game")
    wrong = games["wrong"].notna()
    bad |= dict(zip(games["log"][wrong], games["wrong"][wrong], strict=True))
    check_bad(bad, len(games) + len(bad) - int(wrong.sum()))
    games = games[~wrong].drop(columns="wrong")
    return games, turns[turns["game"].isin(games["game"])].reset_index(drop=True), bad


def splits(games: int, dev: int, test: int) -> list[str]:
    """The split of each game in the order of file names: the last `test` are test, `dev` spread over the rest are dev.

    People play several games in a row, each in their own words, so dev games from one time would be by few people.
    """
    if dev + test >= games:
        raise NeuraleseError(
            f"{games} driving games cannot spare {dev} for dev and {test} for test; "
            "lower driving.dev_games and driving.test_games."
        )
    rest = games - test
    chosen = {int((number + 0.5) * rest / dev) for number in range(dev)}
    return ["dev" if game in chosen else "train" for game in range(rest)] + ["test"] * test


def words(message: str) -> list[str]:
    """The words of a message: "I'll wait!" has ill and wait."""
    return re.sub(r"[^a-z0-9\s]", "", message.lower()).split()


def inventory(messages: Iterable[str], least_sent: int, known: list[str]) -> pd.DataFrame:
    """Silence and the frequent messages of one to three words: phrase_id, phrase, count, words (ids of the `known`)."""
    ids = {word: number for number, word in enumerate(known)}
    said = Counter(" ".join(words(message)) for message in messages)
    table = _frequent("phrase", {text: count for text, count in said.items() if text.count(" ") < LONGEST}, least_sent)
    return table.assign(words=[words_of(phrase, ids) for phrase in table["phrase"]])


def vocabulary(messages: Iterable[str], least_words: int) -> pd.DataFrame:
    """Silence and the words in at least `least_words` of the messages: columns word_id, word, count."""
    return _frequent("word", Counter(each for message in messages for each in set(words(message)) or {""}), least_words)


def _frequent(name: str, said: Mapping[str, int], least: int) -> pd.DataFrame:
    """Silence, then what was said at least so often, most frequent first."""
    kept = sorted((-count, text) for text, count in said.items() if text and count >= least)
    rows = [("", said.get("", 0)), *((text, -count) for count, text in kept)]
    return pd.DataFrame(rows, columns=[name, "count"]).rename_axis(f"{name}_id").reset_index()


def speaking(turns: pd.DataFrame) -> pd.DataFrame:
    """The rows in which a player could speak: the car has not arrived, and this is not the game's last state."""
    return turns[~turns["done"] & turns["action"].notna()]


def words_of(message: str, ids: dict[str, int]) -> list[int]:
    """The words of the vocabulary in a message; silence is one of them."""
    return [ids[word] for word in words(message) or [""] if word in ids]


def traces(messages: Iterable[str], phrases: Iterable[str], known: Iterable[str]) -> tuple[list, list]:
    """For each message the ids of its phrases, and of its `known` words."""
    phrase_ids, word_ids = ({text: number for number, text in enumerate(texts)} for texts in (phrases, known))
    return [phrases_of(each, phrase_ids) for each in messages], [words_of(each, word_ids) for each in messages]


def phrases_of(message: str, ids: dict[str, int]) -> list[int]:
    """The phrases that a message says (see the top of this file)."""
    said = words(message)
    if not said:
        return [ids[""]]
    found, position = [], 0
    while position < len(said):
        ahead = [" ".join(said[position : position + length]) for length in range(LONGEST, 0, -1)]
        phrase = next((phrase for phrase in ahead if phrase in ids), None)
        found += [] if phrase is None else [ids[phrase]]
        position += 1 if phrase is None else len(phrase.split())
    return found


def poses(turns: pd.DataFrame) -> np.ndarray:
    """The pose of every row of `turns`; a car that was taken off the road is `GONE`."""
    pose = 4 * cells(turns["row"], turns["col"]) + turns["direction"].to_numpy(dtype=np.int64)
    return np.where(turns["row"] < 0, GONE, pose)


def cells(row: pd.Series, column: pd.Series) -> np.ndarray:
    """The numbers of cells."""
    return SIZE * row.to_numpy(dtype=np.int64) + column.to_numpy(dtype=np.int64)


def layouts(maps: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """Maps with the poses where cars started and the cells they had to reach: `starts` and `goals`."""
    first = turns[turns["turn"] == 0]
    per_map = [first[first["map"] == number] for number in maps["map"]]
    return maps.assign(
        starts=[np.unique(poses(rows)).tolist() for rows in per_map],
        goals=[np.unique(cells(rows["goal_row"], rows["goal_col"])).tolist() for rows in per_map],
    )


class Logged:
    """The turns of logged games as tensors (games, turns, 2), padded with waiting; games in the order of `ids`."""

    def __init__(self, turns: pd.DataFrame) -> None:
        self.ids, row = np.unique(turns["game"], return_inverse=True)
        turn, player = turns["turn"].to_numpy(), turns["player"].to_numpy()
        shape = (len(self.ids), int(turn.max()) + 1, 2)

        def spread(values: np.ndarray, empty: int = 0) -> Tensor:
            array = np.full(shape, empty, dtype=np.int64)
            array[row, turn, player] = values
            return torch.from_numpy(array)

        self.turns = spread(turn).amax(dim=(1, 2))  # of each game, without the last state: (games,)
        self.pose = spread(poses(turns))
        self.goal = spread(cells(turns["goal_row"], turns["goal_col"]))[:, 0]
        self.done = spread(turns["done"].to_numpy()).bool()
        self.action = spread(turns["action"].fillna(WAIT).to_numpy(dtype=np.int64))
        self.row = spread(np.arange(len(turns)), -1)  # of the table; -1 once a game was over
        self.map = torch.tensor(turns.groupby("game")["map"].first().to_numpy(dtype=np.int64))

    def start(self) -> DrivingWorld:
        """The worlds in which the games began."""
        return DrivingWorld(self.map, self.pose[:, 0], self.goal, torch.zeros_like(self.pose[:, 0], dtype=torch.bool))


def replay(maps: pd.DataFrame, turns: pd.DataFrame) -> pd.DataFrame:
    """Replay logged games on `maps`, given as `layouts`: game, completed, reward, n_turns, and `wrong`, what
    first differs from the log or None.

    A car on the road must be where the log puts it, arrive when the log says, and the game must end with the log.
    """
    logged, game = Logged(turns), DrivingGame(Layouts.of(maps["road"], maps["starts"], maps["goals"]))
    world = logged.start()
    reward, completed = torch.zeros(len(logged.ids)), torch.zeros(len(logged.ids), dtype=torch.bool)
    wrong: list[str | None] = [None] * len(logged.ids)
    for turn in range(int(logged.turns.max())):
        going, driving = turn < logged.turns, game.acting(world)
        world, outcome = game.step(world, logged.action[:, turn])
        reward += torch.where(going, outcome.reward, 0.0)
        completed |= outcome.success & going
        differs = {
            "the position": ((world.pose != logged.pose[:, turn + 1]) & driving).any(1),
            "who has arrived": (world.arrived != logged.done[:, turn + 1]).any(1),
            "whether the game is over": outcome.done != (turn + 1 == logged.turns),
        }
        for what, where in differs.items():
            for game_row in torch.nonzero(where & going).flatten().tolist():
                wrong[game_row] = wrong[game_row] or f"{what} after moves {turn} does not follow from them"
    found = {"reward": reward.double().numpy().round(6), "n_turns": logged.turns.numpy(), "wrong": wrong}
    return pd.DataFrame({"game": logged.ids, "completed": completed.numpy(), **found})
