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
from types import TracebackType
from typing import Any, Self, cast

from neuralese.errors import NeuraleseError, shown
from neuralese.tasks.corpus.write import WIDE, check_free, guess_columns, settings_text, write_corpus

Action = Any
Observation = Any
ReadMessage = Callable[[str, Action], Any]  # agent, action -> the message in it, or None
ReadState = Callable[[str, Observation], Any]  # agent, observation -> the state it speaks in


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
        self.types = {
            name: {"type": each} if isinstance(each, str) else dict(each) for name, each in (types or {}).items()
        }
        self.messages, self.settings = dict(messages or {}), settings
        self._states: dict[str, int] = {}
        self._columns: dict[str, list] = {}
        self._said: list[dict[str, Any]] = []
        self._contexts: list[dict[str, Any]] = []
        self._utterances: list[dict[str, Any]] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
        by default the first where it is.
        Other `columns` are kept with the message.
        """
        row: dict[str, Any] = {"state_id": self.number(state), "message": self._message(message)}
        if context is not None:
            row["context_id"] = self._context(row["state_id"], context, pick, true)
        elif pick is not None:
            raise NeuraleseError("a pick is a position in a context; give the context as well.")
        if episode is not None:
            row["episode"] = _plain("episode", episode)
        _append(self._said, row | {name: _plain(name, value) for name, value in columns.items()})

    def describe(self, state: Any, text: str, **columns: Any) -> None:
        """Record what a person said about `state`."""
        if not isinstance(text, str) or not text.strip():
            raise NeuraleseError(f"an utterance is text, not {shown(text)}; leave it out if nothing was said.")
        row = {"state_id": self.number(state), "text": text}
        _append(self._utterances, row | {name: _plain(name, value) for name, value in columns.items()})

    def write(self) -> None:
        """Write the recording; a `with` block does so at its end."""
        if not self._said:
            raise NeuraleseError(f"nothing was said, so {self.folder} is not written; call say() for every message.")
        unknown = [name for name in self.types if name not in self._columns]
        if unknown:
            raise NeuraleseError(f"types names {shown(unknown[0])}, which no state has; correct it.")
        untyped = {name: values for name, values in self._columns.items() if name not in self.types}
        guessed, notes, _ = guess_columns(untyped) if untyped else ({}, {}, {})
        states = {name: self.types.get(name) or guessed[name] for name in self._columns if name in self.types | guessed}
        tables = {
            "states": {"state_id": list(range(len(self._states))), **self._columns},
            "messages": _columns(self._said),
            "contexts": _columns(self._contexts) if self._contexts else None,
            "utterances": _columns(self._utterances) if self._utterances else None,
        }
        utterances = {"language": "en", "least": 5} if self._utterances else {"from": "states"}
        split = {"dev": 0.15, "test": 0.25} | ({"by": "episode"} if "episode" in self._said[0] else {})
        defaults = {"candidates": 2, "split": split, "utterances": utterances}
        about = self.about | {"messages": self.messages} | defaults | self.settings
        there = {name: columns for name, columns in tables.items() if columns}
        write_corpus(self.folder, settings_text(about, states, notes), there)

    @property
    def n_states(self) -> int:
        """The number of different states so far."""
        return len(self._states)

    def number(self, state: Any) -> int:
        """The number of a state, a new one if it has not been seen before."""
        state = state if isinstance(state, Mapping) else self._observed(state)
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
        """The columns of an array state: each number, if it is short, since phrases can be made from those."""
        plain = _plain("observation", state)
        if not isinstance(plain, list):
            return {"state": plain}
        if len(plain) > WIDE or "observation" in self.types:
            return {"observation": plain}
        return {f"observation_{place}": each for place, each in enumerate(plain, start=1)}

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
        pick = None if pick is None else _plain("pick", pick)
        if pick is not None and (type(pick) is not int or not 0 <= pick < len(candidates)):
            raise NeuraleseError(
                f"pick is {shown(pick)}; give a position from 0 to {len(candidates) - 1} in the context."
            )
        row: dict[str, Any] = {
            "context_id": len(self._contexts),
            "candidates": candidates,
            "true": candidates.index(state) if true is None else int(true),
            "pick": pick,
        }
        self._contexts.append(row)
        return row["context_id"]


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


def _append(rows: list[dict[str, Any]], row: dict[str, Any]) -> None:
    """Add a row with the same columns as the others; it is better to fail at once than after an hour."""
    if rows and row.keys() != rows[0].keys():
        other = ", ".join(map(str, row.keys() ^ rows[0].keys()))
        raise NeuraleseError(f"some rows have {other} and some do not; give it always or never.")
    rows.append(row)


def _columns(rows: list[dict[str, Any]]) -> dict[str, list]:
    return {name: [row[name] for row in rows] for name in rows[0]}


class RecordParallel:
    """An environment of PettingZoo's parallel API that records what its agents say and is otherwise unchanged.

    What a speaker says in an action was said in the state it observed before. Every `reset` begins an episode.
    """

    def __init__(
        self,
        env: Any,
        recording: Recording,
        speakers: Sequence[str] | None = None,
        message: ReadMessage | None = None,
        state: ReadState | None = None,
    ) -> None:
        """Record `speakers`, or all agents that can speak.

        Unless `message` reads it from an action, the message is found from the spaces of the environment; unless
        `state` makes it from an observation, a state is the whole observation.
        """
        self.env, self.recording = env, recording
        self.read_state = state or (lambda agent, observation: observation)
        readers = {agent: message or spoken(env, agent, speakers) for agent in speakers or env.possible_agents}
        self.readers = {agent: reader for agent, reader in readers.items() if reader}
        if not self.readers:
            raise NeuraleseError("no agent of this environment can speak; pass speakers, and message=function.")
        self.episode = -1
        self._seen: dict[str, Any] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)

    def reset(self, *arguments: Any, **options: Any) -> Any:
        """Begin an episode."""
        seen, *rest = self.env.reset(*arguments, **options)
        self.episode, self._seen = self.episode + 1, seen
        return seen, *rest

    def step(self, actions: Mapping[str, Action]) -> Any:
        """Record the messages in the actions, then take the actions."""
        for agent, read in self.readers.items():
            if agent in actions and agent in self._seen:
                said = read(agent, actions[agent])
                if said is not None:
                    state = self.read_state(agent, self._seen[agent])
                    self.recording.say(state, said, episode=self.episode, speaker=agent)
        self._seen, *rest = self.env.step(actions)
        return self._seen, *rest


def spoken(env: Any, agent: str, speakers: Sequence[str] | None = None) -> ReadMessage | None:
    """How to read messages from an agent's actions, given the environment's spaces; none if it cannot speak.

    In particle worlds (MPE) an action is a move and a symbol, or numbers for each. Elsewhere the whole action of one of
    the `speakers` is its message.
    """
    space, world = env.action_space(agent), cast(Any, getattr(env.unwrapped, "world", None))
    if all(hasattr(world, name) for name in ("agents", "dim_c", "dim_p")):
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
    policy: Callable[[str, Observation], Action] | None = None,
    episodes: int = 100,
    seed: int = 0,
    **options: Any,
) -> None:
    """Play episodes of an environment of PettingZoo's parallel API, and write what was said as a corpus.

    Without a `policy`, actions are drawn from the spaces. Options are those of `RecordParallel` and `Recording`.
    """
    wrapping = {name: options.pop(name) for name in ("speakers", "message", "state") if name in options}
    for number, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + number)
    with Recording(folder, **options) as recording:
        recorded = RecordParallel(env, recording, **wrapping)
        for episode in range(episodes):
            seen, _ = recorded.reset(seed=seed + episode)
            while recorded.agents:
                actions = {
                    agent: policy(agent, seen[agent]) if policy else recorded.action_space(agent).sample()
                    for agent in recorded.agents
                }
                seen, *_ = recorded.step(actions)
