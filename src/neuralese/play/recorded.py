"""A corpus from the logs of finished reference games.

A log has everything that a corpus needs: what is visible of each candidate, what was said, and what was picked. What
the robot said is a message of the corpus, with its context and the person's pick; what the person said, an utterance.
"""

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from neuralese.errors import NeuraleseError
from neuralese.recording import Recording
from neuralese.tasks.corpus.settings import FILE

FORMAT = "neuralese naming game"
# of the corpus: few words are said in a few games, so all are phrases; rounds are independent
SETTINGS: dict[str, Any] = {
    "utterances": {"language": "en", "least": 1},
    "split": {"dev": 0.15, "test": 0.25},
}


def import_games(source: Path, folder: Path, title: str | None = None, licence: str | None = None) -> dict[str, int]:
    """Make a corpus from the logs in a folder, or from one log; return counts of its contents.

    A state is what the robot sees: the item it talks about, and the others, each in a column.
    """
    games = _read(source)
    kind, known = _column(games), {(game["task"], game["seed"]) for game in games.values()}
    if len(known) > 1:
        raise NeuraleseError(
            f"{source} holds games with several robots ({_robots(known)}); put each in its own folder."
        )
    (task, _), said, told = known.pop(), 0, 0
    size = min(len(each["candidates"]) for game in games.values() for each in game["rounds"])
    names = ["target", "other", *(f"other_{number}" for number in range(2, size))]
    types = {name: {"color": "color", "feature": "vector", "id": "category"}[kind] for name in names}
    about: dict[str, Any] = {"title": title or f"Games of {task} with a person", "licence": licence or "unknown"}
    recording = Recording(folder, types=types, **about, **SETTINGS)
    for path, game in games.items():
        for each in game["rounds"]:
            seen = [_cell(item[kind]) for item in each["candidates"]]
            states = [
                dict(zip(names, [seen[place], *seen[:place], *seen[place + 1 :]], strict=True))
                for place in range(len(seen))
            ]
            if each["person"] == "describes":
                told += 1
                recording.describe(states[each["true"]], each["text"])
            else:
                said += 1
                recording.say(states[each["true"]], each["message"], states, each["picked"], episode=path.stem)
    if not said:
        raise NeuraleseError(f"{source} holds no round in which the robot spoke; play a game of two rounds or more.")
    recording.write()
    return {"games": len(games), "messages": said, "utterances": told}


def _robots(known: Iterable[tuple]) -> str:
    return ", ".join(f"{task} seed {seed}" for task, seed in sorted(known))


def _cell(value: object) -> object:
    return str(value) if isinstance(value, int) else value


def _column(games: dict[Path, dict]) -> str:
    """How the candidates are identified in all games: by their colours, their features, or only their numbers."""
    items = [item for game in games.values() for each in game["rounds"] for item in each["candidates"]]
    return next(name for name in ("color", "feature", "id") if all(name in item for item in items))


def _read(source: Path) -> dict[Path, dict]:
    """The logs, by file."""
    if not source.exists():
        raise NeuraleseError(f"{source} does not exist; name the folder in which finished games were saved.")
    paths = sorted(source.glob("*.json")) if source.is_dir() else [source]
    if not paths:
        hint = "it is a corpus already" if (source / FILE).exists() else "play a game to its end first"
        raise NeuraleseError(f"{source} holds no log of a game (*.json); {hint}.")
    return {path: _checked(path) for path in paths}


def _checked(path: Path) -> dict:
    """A log with everything a corpus needs."""
    wrong = f"{path} is not a log of a reference game; leave it out."
    try:
        game = json.loads(path.read_text(encoding="utf-8"))
        if game["format"] != FORMAT or not game["rounds"]:
            raise NeuraleseError(wrong)
        sizes = {len(each["candidates"]) for each in game["rounds"]}
        whole = all(_is_whole(each) for each in game["rounds"]) and len(sizes) == 1 and min(sizes) >= 2
        if not whole or type(game["task"]) is not str or type(game["seed"]) is not int:
            raise NeuraleseError(wrong)
    except OSError as error:
        raise NeuraleseError(f"{path} cannot be read ({error.strerror}); make it readable.") from None
    except (ValueError, KeyError, TypeError, RecursionError):
        raise NeuraleseError(wrong) from None
    return game


def _is_whole(each: dict) -> bool:
    places = range(len(each["candidates"]))
    kinds = {"describes": ("text", str), "picks": ("message", list)}
    name, kind = kinds[each["person"]]
    positions = type(each["true"]) is int and type(each["picked"]) is int
    return positions and each["true"] in places and each["picked"] in places and isinstance(each[name], kind)
