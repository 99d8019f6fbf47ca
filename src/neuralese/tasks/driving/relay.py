"""Two robots drive, and everything they say goes into English and back before the other hears it.

    neuralese    no translation              shuffled    the message of another game at the same step
    silence      nobody hears anything       random      any phrase, then into neuralese

and each criterion with a pair of members, one into English and one back, *chosen* jointly on dev: a member that
translates well into English may be wrong for the way back. All pairs of a family are screened by the average of how
often R* guesses the state of a dev message from its relay, and the model human from the English on the way (or the
relay would be a private code). Among those that differ, the best few with each voice (see `channels`) are played on
fresh dev games, and the one with the highest reward is chosen. Every family has the same number of tries.

Conditions are compared game by game. What survives translation is the share (relay - silence) / (neuralese - silence)
of the value of communication. A robot has never heard silence in training and drives worse with it than with messages
unrelated to its game, so the share relative to these is given as well: (relay - shuffled) / (neuralese - shuffled).
`understood` is how often the model human guesses the speaker's state from the same English.
"""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
import torch
from torch import Tensor

from neuralese.agents.cell import load_cell
from neuralese.agents.messages import Speech
from neuralese.config.models import RelayConfig
from neuralese.evaluate.belief import INTERPRETER
from neuralese.evaluate.listeners import credit
from neuralese.evaluate.outcomes import Condition, outcome_table
from neuralese.evaluate.relay import NATIVE, RELAY_OVER, SHARES, SHUFFLED, SILENCE
from neuralese.stages.run import Run
from neuralese.tasks.driving.channels import (
    MEAN,
    RECORDED,
    Interpreter,
    RelayChannel,
    Translator,
    Translators,
    of_another_game,
    places_in_play,
    silence,
)
from neuralese.tasks.driving.loop import Channel, Pair, Robot, robots, unchanged
from neuralese.translate.criteria import kind_of, make_criterion
from neuralese.translate.families import members, title, with_role

Families = Mapping[str, Mapping[str, Any]]  # settings of criteria as the config gives them, by name
TOLD = replace(INTERPRETER, title="interpreter (knows what the listener sees)")
SCALES = (1.0, 2.0, 4.0)  # of an interpreter: width of p(z | x) as a multiple of the channel's noise
JUDGED = 5000  # maximum number of test messages whose English the model human hears
MEASURES = ("reward", "completion")


def choose_relay(run: Run, criteria: Families, relay: Mapping[str, Any]) -> pd.DataFrame:
    """Screen all pairs of every family and play the best: the columns of `relay_choice.parquet`."""
    config = RelayConfig(**relay)
    pair, translators = robots(run, "dev", config.dev_games), Translators(run, config)
    guesser = Guesser(run, run.said["dev"].first(config.screened))
    tried = screen(translators, criteria, guesser, config.played)
    tried += interpreters(run, config.places, SCALES)
    return ranked(pair, tried)


class Guesser:
    """How often R* guesses the state of dev messages from what they become, and the model human from the English."""

    def __init__(self, run: Run, said: Speech) -> None:
        self.said, self.heard, self.listeners = said, run.heard, run.listeners("dev")
        candidates = run.states.candidates(said.states)
        with torch.no_grad():
            means = run.robot.mean(run.states.speaker_view(candidates.flatten(0, 1)))
        self.means = means.unflatten(0, candidates.shape[:2])  # (n, s, message)

    def accuracy(self, messages: Tensor) -> float:
        """The accuracy of R* on hearing `messages` (n, message)."""
        return float(credit(-(messages[:, None] - self.means).square().sum(2)).mean())

    def understood(self, phrases: Tensor) -> float:
        """The accuracy of the model human on hearing `phrases` (n,)."""
        return float(self.listeners.human.credit(self.heard[phrases], self.said.states).mean())


def screen(translators: Translators, criteria: Families, guesser: Guesser, played: int) -> list[Condition]:
    """The best `played` pairs of each family, half of them with each voice."""
    families = {name: members(each) for name, each in criteria.items() if kind_of(each).by_meaning}
    made = {label: make_criterion(each) for family in families.values() for label, each in family.items()}
    phrases = translators.best_phrases(made, guesser.said.messages)
    human = {label: guesser.understood(each) for label, each in phrases.items()}
    back = {voice: translators.to_neuralese(made, voice) for voice in (RECORDED, MEAN)}
    tried: list[Condition] = []
    for (voice, spoken), (name, family) in product(back.items(), families.items()):
        found: dict[tuple[bytes, bytes], Condition] = {}
        for one, other in product(family, family):
            relayed = spoken[other].messages[phrases[one]]
            same = (phrases[one].numpy().tobytes(), relayed.numpy().tobytes())
            if same not in found:  # of pairs that relay all messages identically, only the first
                settings = json.dumps({"R->H": family[one], "H->R": family[other]})
                facts: dict[str, Any] = {"to_english": one, "to_neuralese": other, "voice": voice, "settings": settings}
                facts |= {"accuracy": guesser.accuracy(relayed), "understood": human[one]}
                channel = RelayChannel(Translator(translators.to_english(made[one]), spoken[other]))
                found[same] = Condition(name, name, "", channel, facts)
        tried += sorted(found.values(), key=lambda each: -each.facts["accuracy"] - each.facts["understood"])[
            : max(1, played // 2)
        ]
    return tried


def interpreters(run: Run, games: int, scales: tuple[float, ...]) -> list[Condition]:
    """Interpreters with narrower or wider p(z | x)."""
    places, found = places_in_play(run, games), []
    for scale in scales:
        facts: dict[str, Any] = {"to_english": f"interpreter x{scale:g}", "to_neuralese": TOLD.name, "voice": MEAN}
        facts |= {"settings": json.dumps({"scale": scale}), "accuracy": np.nan, "understood": np.nan}
        found.append(replace(TOLD, heard=Interpreter(run, places, scale), facts=facts))
    return found


def ranked(pair: Pair, tried: list[Condition]) -> pd.DataFrame:
    """Play the same games with everything `tried`: a table by criterion, highest reward first."""
    rows = []
    for each in pair.play(tried):
        means = {measure: values.mean() for measure, values in each.values.items()}
        rows.append({"criterion": each.condition.name, **each.condition.facts, **means})
    table = pd.DataFrame(rows).sort_values("reward", ascending=False, kind="stable")
    table = pd.concat([table[table["criterion"] == name] for name in dict.fromkeys(each.name for each in tried)])
    return table.assign(rank=table.groupby("criterion").cumcount() + 1, games=len(pair.start.world.map))


def chosen_translators(translators: Translators, choice: pd.DataFrame) -> dict[str, Translator]:
    """The translator chosen on dev for each criterion, the first of its rows in `relay_choice.parquet`."""
    found = {}
    for name, rows in choice[choice["criterion"] != TOLD.name].groupby("criterion", sort=False):
        settings, voice = json.loads(rows["settings"].iloc[0]), rows["voice"].iloc[0]
        english = translators.to_english(make_criterion(settings["R->H"]))
        spoken = translators.to_neuralese({name: make_criterion(settings["H->R"])}, voice)[name]
        found[name] = Translator(english, spoken, facts_of(rows))
    return found


def facts_of(rows: pd.DataFrame) -> dict[str, Any]:
    """How a condition was chosen, from the rows of its criterion, best first."""
    best = rows.iloc[0]
    facts = {"there": best["to_english"], "back": best["to_neuralese"], "voice": best["voice"]}
    facts["dev_reward"] = best["reward"]
    if len(rows) < 2:
        return facts
    second = rows.iloc[1]
    runner_up = f"{second['to_english']} / {second['to_neuralese']} ({second['voice']})"
    return facts | {"runner_up": runner_up, "runner_up_reward": second["reward"]}


def translated(
    criteria: Families,
    chosen: Mapping[str, Translator],
    channel: Callable[[Translator, Tensor | None], Channel],
    sayable: Tensor,
) -> list[Condition]:
    """A condition for each criterion of the config; random phrases go back as ours do."""
    ours, found = chosen[with_role(criteria, "ours") or next(iter(chosen))], []
    for name, settings in criteria.items():
        by_meaning = kind_of(settings).by_meaning
        heard = channel(chosen[name], None) if by_meaning else channel(ours, sayable)
        facts = chosen[name].facts if by_meaning else {}
        found.append(Condition(name, title(name, settings), settings.get("role", ""), heard, facts))
    return found


def relay_conditions(run: Run, choice: pd.DataFrame, criteria: Families, config: RelayConfig) -> list[Condition]:
    """The controls, and the relay chosen for each criterion."""
    translators = Translators(run, config)
    chosen = chosen_translators(translators, choice)
    return [
        replace(NATIVE, heard=unchanged),
        replace(SILENCE, heard=silence(run.phrases.index(""))),
        replace(SHUFFLED, title="the message of another game (control)", heard=of_another_game),
        *translated(criteria, chosen, RelayChannel, translators.phrases.ids),
    ]


def relay_driving(
    run: Run, choice: pd.DataFrame, criteria: Families, relay: Mapping[str, Any], resamples: int
) -> pd.DataFrame:
    """How two robots drive in fresh games with every message translated into English and back."""
    config = RelayConfig(**relay)
    conditions = relay_conditions(run, choice, criteria, config)
    rows = choice[choice["criterion"] == TOLD.name]
    (informed,) = interpreters(run, config.places, (json.loads(rows["settings"].iloc[0])["scale"],))
    conditions.append(replace(informed, facts=facts_of(rows)))
    pair = robots(run, "test", config.games)
    outcomes = pair.play(conditions)
    if path := run.files.get("silent_agent.safetensors"):
        robot = Robot(load_cell(path, run.states))
        deaf = Condition(
            "no-channel", "other agents, trained without a channel", "silent", silence(run.phrases.index(""))
        )
        outcomes += replace(pair, seats=(robot, robot)).play([deaf])
    outcomes = [
        replace(each, cell={}, facts={"understood": understood(run, each.condition.heard)}) for each in outcomes
    ]
    tables = [
        outcome_table(outcomes, np.random.default_rng(0), RELAY_OVER, SHARES, resamples, [measure])
        for measure in MEASURES
    ]
    table = pd.concat(tables, ignore_index=True)
    return run.label(table.fillna(dict.fromkeys(("there", "back", "voice", "runner_up"), "")))


def understood(run: Run, channel: Channel | None) -> float:
    """How often the model human guesses the state of a test message from its English; NaN if there is none."""
    if not isinstance(channel, RelayChannel):
        return np.nan
    said = run.said["test"].first(JUDGED)
    return float(run.listeners("test").human.credit(run.heard[channel.english(said.messages)], said.states).mean())
