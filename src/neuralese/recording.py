"""Record what agents say, around any loop, as a corpus that `neuralese` reads.

with Recording("mine", types={"angle": {"type": "circular", "period": 360}}) as recording:
    for state, message in play():
        recording.say({"angle": state.angle, "shape": state.shape}, message)

record_parallel(simple_speaker_listener_v4.parallel_env(), "mine", policy, episodes=500)  # PettingZoo's parallel API

The folder is written at the end, whole, and only if the block ends without an exception.
"""

import json
import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from neuralese.errors import NeuraleseError, shown
from neuralese.tasks.corpus.write import WIDE, check_free, guess_columns, settings_text, write_corpus

ReadMessage = Callable[[str, Any], Any]  # agent, action -> the message in it, or None


class _Rows(list[dict[str, Any]]):
    """The rows of a table, all with the same columns."""

    def add(self, row: dict[str, Any], more: Mapping[str, Any]) -> None:
        """Add a row with `more` columns; it is better to fail at once than after an hour."""
        row |= {name: _plain(name, value) for name, value in more.items()}
        if self and row.keys() != self[0].keys():
            other = ", ".join(map(str, row.keys() ^ self[0].keys()))
            raise NeuraleseError(f"some rows have {other} and some do not; give it always or never.")
        self.append(row)


class Recording:
    """Collects what agents say, and writes it as a corpus."""

    def __init__(
        self,
        folder: str | Path,
        title: str | None = None,
        licence: str = "unknown",
        types: Mapping[str, str | Mapping[str, Any]] | None = None,
        messages: Mapping[str, Any] | None = None,
        **settings: Any,
    ) -> None:
        """Record into `folder`, which is empty or does not exist yet.

        `types` are those of the states' columns, guessed if not given; `messages` and other `settings`
        (candidates, same, split, utterances) are written to `corpus.yaml` unchanged.
        """
        self.folder = Path(folder)
        check_free(self.folder)
        self.about = {"title": title or self.folder.absolute().name, "licence": licence}
        given = dict(types or {}).items()
        self.types = {name: {"type": each} if isinstance(each, str) else dict(each) for name, each in given}
        self.messages, self.settings = dict(messages or {}), settings
        self._states: dict[str, int] = {}
        self._columns: dict[str, list] = {}
        self._said, self._contexts, self._utterances = _Rows(), _Rows(), _Rows()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.write()

    def say(
        self,
        state: Any,
        message: Any,
        context: Sequence[Any] | None = None,
        pick: int | None = None,
        episode: Hashable = None,
        true: int | None = None,
        **columns: Any,
    ) -> None:
        """Record that `message` was said in `state`.

        A state is a dict of columns, or an array: `observation_1`, `observation_2`, ..., or, if it is long or `types`
        says so, the vector `observation`. A message is a symbol, a list of symbols, or a vector. The `context` are the
        states among which the listener chose, `pick` the position of the one it chose, and `true` that of `state`,
        by default the first where it is. Other `columns` are kept with the message.
        """
        row: dict[str, Any] = {"state_id": self.number(state), "message": self._message(message)}
        if context is not None:
            row["context_id"] = self._context(row["state_id"], context, pick, true)
        elif pick is not None:
            raise NeuraleseError("a pick is a position in a context; give the context as well.")
        self._said.add(row, columns if episode is None else {"episode": episode} | columns)

    def describe(self, state: Any, text: str, **columns: Any) -> None:
        """Record what a person said about `state`."""
        if not isinstance(text, str) or not text.strip():
            raise NeuraleseError(f"an utterance is text, not {shown(text)}; leave it out if nothing was said.")
        self._utterances.add({"state_id": self.number(state), "text": text}, columns)

    def write(self) -> None:
        """Write the recording; a `with` block does so at its end."""
        if not self._said:
            raise NeuraleseError(f"nothing was said, so {self.folder} is not written; call say() for every message.")
        if unknown := [name for name in self.types if name not in self._columns]:
            raise NeuraleseError(f"types names {shown(unknown[0])}, which no state has; correct it.")
        untyped = {name: values for name, values in self._columns.items() if name not in self.types}
        types = (guess_columns(untyped)[0] if untyped else {}) | self.types
        rows = {"messages": self._said, "contexts": self._contexts, "utterances": self._utterances}
        tables = {name: {key: [row[key] for row in each] for key in each[0]} for name, each in rows.items() if each}
        tables["states"] = {"state_id": list(range(len(self._states))), **self._columns}
        settings = {
            "messages": self.messages,
            "candidates": 2,
            "split": {"dev": 0.15, "test": 0.25} | ({"by": "episode"} if "episode" in self._said[0] else {}),
            "utterances": {"language": "en", "least": 5} if self._utterances else {"from": "states"},
        }
        states = {name: types[name] for name in self._columns if name in types}
        write_corpus(self.folder, settings_text(self.about | settings | self.settings, states), tables)

    @property
    def n_states(self) -> int:
        """The number of different states so far."""
        return len(self._states)

    def number(self, state: Any) -> int:
        """The number of a state, a new one if it has not been seen before."""
        if not isinstance(state, Mapping):
            state = self._observed(_plain("observation", state))
        columns = {name: _plain(name, value) for name, value in state.items()}
        if not columns or "state_id" in columns:
            raise NeuraleseError("a state is a dict of columns, none of which may be called state_id; rename it.")
        if self._states and set(columns) != set(self._columns):
            other = ", ".join(map(str, set(columns) ^ set(self._columns)))
            raise NeuraleseError(f"states differ in their columns ({other}); give every state the same columns.")
        key = json.dumps([columns[name] for name in self._columns or columns])
        if key not in self._states:
            self._states[key] = len(self._states)
            for name, value in columns.items():
                self._columns.setdefault(name, []).append(value)
        return self._states[key]

    def _observed(self, state: Any) -> dict[str, Any]:
        """The columns of a state that is no dict: each number of a short list, since phrases can be made from those."""
        if not isinstance(state, list):
            return {"state": state}
        if len(state) > WIDE or "observation" in self.types:
            return {"observation": state}
        return {f"observation_{place}": each for place, each in enumerate(state, start=1)}

    def _message(self, message: Any) -> list[int] | list[float]:
        plain = _plain("message", message)
        parts = plain if isinstance(plain, list) else [plain]
        if not parts or not all(type(part) in (int, float) for part in parts):
            raise NeuraleseError(f"a message must be a symbol, a list of symbols or a vector, not {shown(message)}.")
        kind = "vector" if any(type(part) is float for part in parts) else "symbols"
        if self.messages.setdefault("kind", kind) == "vector":
            return list(map(float, parts))
        if kind == "vector" or min(parts) < 0:
            raise NeuraleseError(f"symbols are whole numbers from 0, not {shown(message)}; record one kind of message.")
        return parts

    def _context(self, state: int, context: Sequence[Any], pick: int | None, true: int | None) -> int:
        """The number of a new context."""
        candidates = [self.number(each) for each in context]
        if len(candidates) < 2 or state not in candidates:
            raise NeuraleseError("a context must hold two states or more, including the one spoken in; add it.")
        if pick not in (None, *range(len(candidates))):
            last = len(candidates) - 1
            raise NeuraleseError(f"pick is {shown(pick)}; give a position from 0 to {last} in the context.")
        number, pick = len(self._contexts), None if pick is None else int(pick)
        true = candidates.index(state) if true is None else int(true)
        self._contexts.append({"context_id": number, "candidates": candidates, "true": true, "pick": pick})
        return number


def _plain(name: str, value: Any) -> Any:
    """A value or a flat list, in Python's own types; arrays are copied, since loops often overwrite theirs."""
    value = value.tolist() if hasattr(value, "tolist") else value
    value = list(value) if isinstance(value, tuple | list) else value
    for part in value if isinstance(value, list) else [value]:
        if not isinstance(part, bool | int | float | str):
            raise NeuraleseError(f"'{name}' holds {shown(part)}; give numbers, text or a flat list of numbers.")
        if isinstance(part, float) and not math.isfinite(part):
            raise NeuraleseError(f"'{name}' holds {part}; give finite numbers.")
    return value


def spoken(env: Any, agent: str, speakers: Sequence[str] | None = None) -> ReadMessage | None:
    """How to read messages from an agent's actions, given the environment's spaces; none if it cannot speak.

    In particle worlds (MPE) an action is a move and a symbol, or numbers for each. Elsewhere the whole action of one of
    the `speakers` is its message.
    """
    space, world = env.action_space(agent), getattr(env.unwrapped, "world", None)
    if world is not None and all(hasattr(world, name) for name in ("agents", "dim_c", "dim_p")):
        body = next(each for each in world.agents if each.name == agent)
        moves = 2 * world.dim_p + 1 if body.movable else 0
        if body.silent or not world.dim_c:
            return None
        if getattr(space, "n", None) == max(moves, 1) * world.dim_c:
            return lambda _, action: int(action) // max(moves, 1)
        if getattr(space, "shape", None) == (moves + world.dim_c,):
            return lambda _, action: [float(each) for each in action[moves:]]
    elif speakers and not hasattr(space, "spaces"):
        return lambda _, action: action
    raise NeuraleseError(f"the messages of {agent} cannot be read from its actions ({space}); pass message=function.")


def record_parallel(
    env: Any,
    folder: str | Path,
    policy: Callable[[str, Any], Any] | None = None,
    episodes: int = 100,
    seed: int = 0,
    speakers: Sequence[str] | None = None,
    message: ReadMessage | None = None,
    state: Callable[[str, Any], Any] | None = None,
    **options: Any,
) -> None:
    """Play episodes of an environment of PettingZoo's parallel API, and write what was said as a corpus.

    Without a `policy`, actions are drawn from the spaces. Recorded are the `speakers`, or all agents that can speak.
    What a speaker says in an action was said in the state it observed before. Unless `message` reads it from an action,
    the message is found from the spaces of the environment; unless `state` makes it from an observation, a state is the
    whole observation. Other options are those of `Recording`.
    """
    readers = {agent: message or spoken(env, agent, speakers) for agent in speakers or env.possible_agents}
    if not any(readers.values()):
        raise NeuraleseError("no agent of this environment can speak; pass speakers, and message=function.")
    act = policy or (lambda agent, _: env.action_space(agent).sample())
    for number, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + number)
    with Recording(folder, **options) as recording:
        for episode in range(episodes):
            seen, _ = env.reset(seed=seed + episode)
            while env.agents:
                actions = {agent: act(agent, seen[agent]) for agent in env.agents}
                for agent, read in readers.items():
                    said = read(agent, actions[agent]) if read and agent in actions else None
                    if said is not None:
                        spoken_of = state(agent, seen[agent]) if state else seen[agent]
                        recording.say(spoken_of, said, episode=episode, speaker=agent)
                seen, *_ = env.step(actions)
