"""A corpus from the logs of finished reference games.

What the robot said is a message of the corpus, with its context and the person's pick; what the person said, an
utterance.
"""

from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, Field, StrictInt, ValidationError, model_validator

from neuralese.errors import NeuraleseError
from neuralese.recording import Recording

FORMAT = "neuralese naming game"
# of the corpus: few words are said in a few games, so all are phrases; rounds are independent
SETTINGS: dict[str, Any] = {
    "utterances": {"language": "en", "least": 1},
    "split": {"dev": 0.15, "test": 0.25},
}


class LoggedRound(BaseModel):
    """A round of a log."""

    person: Literal["describes", "picks"]
    candidates: list[dict[str, Any]] = Field(min_length=2)
    true: StrictInt = Field(ge=0)
    picked: StrictInt = Field(ge=0)
    text: str | None = None  # what the person said
    message: list[Any] | None = None  # what the robot said

    @model_validator(mode="after")
    def _whole(self) -> "LoggedRound":
        if max(self.true, self.picked) >= len(self.candidates):
            raise ValueError("there is no such candidate")
        if (self.text if self.person == "describes" else self.message) is None:
            raise ValueError("nothing was said")
        return self


class Log(BaseModel):
    """What a corpus needs of a log."""

    format: str = Field(pattern=f"^{FORMAT}$")
    task: str
    seed: StrictInt
    rounds: list[LoggedRound] = Field(min_length=1)


def import_games(source: Path, folder: Path, title: str | None = None, licence: str | None = None) -> dict[str, int]:
    """Make a corpus from the logs in a folder, or from one log; return counts of its contents.

    A state is what the robot sees: the item it talks about, and the others, each in a column.
    """
    games = read_logs(source)
    robots = sorted({(game.task, game.seed) for game in games.values()})
    if len(robots) > 1:
        known = ", ".join(f"{task} seed {seed}" for task, seed in robots)
        raise NeuraleseError(f"{source} holds games with several robots ({known}); put each in its own folder.")
    rounds = [(path.stem, each) for path, game in games.items() for each in game.rounds]
    sizes = sorted({len(each.candidates) for _, each in rounds})
    if len(sizes) > 1:
        raise NeuraleseError(f"{source} holds rounds of {sizes} candidates; put each kind in its own folder.")
    items = [item for _, each in rounds for item in each.candidates]
    kind = next(name for name in ("color", "feature", "id") if all(name in item for item in items))  # what is known
    names = ["target", "other", *(f"other_{number}" for number in range(2, sizes[0]))]
    types = dict.fromkeys(names, {"color": "color", "feature": "vector", "id": "category"}[kind])
    title = title or f"Games of {robots[0][0]} with a person"
    recording = Recording(folder, title, licence or "unknown", types=types, **SETTINGS)
    for episode, each in rounds:
        seen = [str(item[kind]) if kind == "id" else item[kind] for item in each.candidates]
        states = [
            dict(zip(names, [seen[place], *seen[:place], *seen[place + 1 :]], strict=True))
            for place in range(len(seen))
        ]
        if each.text is not None:
            recording.describe(states[each.true], each.text)
        else:
            recording.say(states[each.true], each.message, states, each.picked, episode=episode)
    said = sum(each.message is not None for _, each in rounds)
    if not said:
        raise NeuraleseError(f"{source} holds no round in which the robot spoke; play a game of two rounds or more.")
    recording.write()
    return {"games": len(games), "messages": said, "utterances": len(rounds) - said}


def read_logs(source: Path) -> dict[Path, Log]:
    """The logs in a folder, or one log, by file."""
    if not source.exists():
        raise NeuraleseError(f"{source} does not exist; name the folder in which finished games were saved.")
    paths = sorted(source.glob("*.json")) if source.is_dir() else [source]
    if not paths:
        hint = "it is a corpus already" if (source / "corpus.yaml").exists() else "play a game to its end first"
        raise NeuraleseError(f"{source} holds no log of a game (*.json); {hint}.")
    logs = {}
    for path in paths:
        try:
            logs[path] = Log.model_validate_json(path.read_bytes())
        except OSError as error:
            raise NeuraleseError(f"{path} cannot be read ({error.strerror}); make it readable.") from None
        except ValidationError:
            raise NeuraleseError(f"{path} is not a log of a reference game; leave it out.") from None
    return logs
