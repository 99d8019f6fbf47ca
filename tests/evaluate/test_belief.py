"""The belief evaluation: what is said, what listeners hear instead, and how often they guess right."""

import math
from dataclasses import replace

import pandas as pd
import pytest
import torch
from small_task import PHRASES, SmallTask

from neuralese.agents.cell import Cell, CellConfig
from neuralese.agents.messages import Speech
from neuralese.evaluate.belief import (
    HumanSpeech,
    Translated,
    best_translations,
    evaluate_belief,
    measured_bound,
)
from neuralese.evaluate.listeners import Listener, Listeners, ModelRobot
from neuralese.evaluate.outcomes import Condition
from neuralese.games.driving import DrivingGame, Layouts
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanListener, RobotSpeaker
from neuralese.speakers.traces import Lists, Traces
from neuralese.storage.tables import read_table
from neuralese.translate.criteria import BeliefCriterion

ITEMS = 4000
KEYS = ["speaker", "listener", "unit", "criterion"]
NATIVE, WORDS = ("R", "R", "message", "none"), ("H", "H*", "utterance", "none")


class Oracle(HumanListener):
    """Knows that phrase k describes item k."""

    def fits(self, observations):
        return torch.nn.functional.one_hot(observations[:, 0], self.settings["words"])


class Setting:
    """Robots and humans who speak of a few items; an oracle and an untrained robot listen."""

    def __init__(self, generator: torch.Generator, items: int = 5, candidates: int = 2) -> None:
        game = ReferenceGame(torch.eye(items), n_candidates=candidates)
        target = torch.arange(ITEMS) % items
        # phrase k describes item k; the others are one or two further on
        states = torch.stack([(target + more * (1 + torch.arange(ITEMS) // items % 2)) % items
                              for more in range(candidates)], dim=1)  # fmt: skip
        torch.manual_seed(0)
        cell = Cell(game, CellConfig(hidden=8, message=4))
        speaker = RobotSpeaker(game, hidden=8, message=4, scale=0.3)
        self.listeners = Listeners.of(game, cell, speaker, Oracle(game, hidden=4, words=items))
        self.asked_nothing = ModelRobot(speaker, game)
        messages, words = torch.randn(ITEMS, 4, generator=generator), torch.eye(items)
        self.robot = Speech(torch.arange(100, 100 + ITEMS), states, messages)
        units, number = {"utterance": target, "phrase": target}, torch.arange(ITEMS)
        self.human = HumanSpeech(states, words[target], units, number, number)
        told = {unit: torch.randn(items, 4, generator=generator)[target] for unit in units}  # a message for each phrase
        wrong = words[torch.zeros(ITEMS, dtype=torch.long)]  # phrase 0 for everything
        anything = words[torch.randint(items, (ITEMS,), generator=generator)]
        noise = {unit: torch.randn(ITEMS, 4, generator=generator) for unit in units}
        self.conditions = [
            Condition("good", "good (ours)", "ours", Translated(words[target], told)),
            Condition("poor", "poor (baseline)", "baseline", Translated(wrong, noise)),
            Condition("dice", "dice (control)", "control", Translated(anything, noise)),
            Condition("new", "made by asking", "asks the judge", Translated(None, {"utterance": messages})),
        ]

    def table(self, conditions: list[Condition] | None = None, human: HumanSpeech | None = None) -> pd.DataFrame:
        generator, conditions = torch.Generator().manual_seed(1), self.conditions if conditions is None else conditions
        table = evaluate_belief(self.listeners, self.robot, human or self.human, conditions, 200, generator)
        return table.set_index(KEYS)


@pytest.fixture
def setting(generator) -> Setting:
    return Setting(generator)


@pytest.fixture
def played(setting) -> pd.DataFrame:
    return setting.table()


def test_every_pair_is_played_under_every_condition_and_in_every_unit(played):
    native = [NATIVE, WORDS, ("H", "H*", "utterance", "shuffled")]
    by_all = [("R", "H*", "message"), ("H", "R", "utterance"), ("H", "R", "phrase")]
    translated = [(*pair, name) for name in ("good", "poor", "dice") for pair in by_all]
    controls = [("R", "R", "message", name) for name in ("shuffled", "constant", "silence")]
    assert set(played.index) == {*native, *translated, ("H", "R", "utterance", "new"), *controls}
    assert (played["n"] == ITEMS).all()
    assert (played["chance"] == 0.5).all()
    assert (played["distractors"] == "play").all()
    assert ((played["ci_low"] <= played["value"]) & (played["value"] <= played["ci_high"])).all()
    roles = played["role"]
    assert roles[[NATIVE, WORDS]].tolist() == ["native", "native"]
    assert roles[("H", "R", "utterance", "poor")] == "baseline"
    assert (roles[controls] == "control").all()


def test_controls_fail_if_a_listener_can_win_without_the_message(setting):
    class Leaks(Listener):
        name = "R"

        def preferences(self, heard, states, generator=None):
            return torch.tensor([1.0, 0.0]).expand(len(states), -1)  # the true candidate comes first, and it knows that

    setting.listeners = replace(setting.listeners, robot=Leaks())
    table = setting.table()
    for name in ("shuffled", "constant", "silence"):
        assert table.loc[("R", "R", "message", name), "ci_low"] > 0.5


def test_what_the_real_listener_picked_is_a_row_of_its_own(setting):
    picked = torch.tensor([1, 1, 1, 0, -1]).repeat(ITEMS)[:ITEMS]  # of every fifth message nothing is known
    robot = setting.asked_nothing
    setting.listeners = replace(setting.listeners, robot=robot, judge=robot)
    setting.robot = replace(setting.robot, picked=picked)
    table = setting.table()
    assert set(table.index.droplevel(["unit", "criterion"])) == {
        ("R", "R*"), ("H", "H*"), ("R", "H*"), ("H", "R*"), ("R", "R")
    }  # fmt: skip
    assert table.loc[NATIVE, "value"] == pytest.approx(0.75, abs=0.01)
    assert table.loc[NATIVE, "n"] == int((picked >= 0).sum())


def test_a_right_dictionary_makes_the_oracle_right_and_indifference_is_worth_a_half(played):
    assert played.loc[WORDS, "value"] == 1
    assert played.loc[("R", "H*", "message", "good"), "value"] == 1
    # phrase 0 describes the target in a fifth of the games, the other item in a fifth, neither in the rest
    assert played.loc[("R", "H*", "message", "poor"), "value"] == pytest.approx(0.5)


@pytest.mark.parametrize(("items", "candidates"), [(5, 2), (9, 3), (9, 4)])
def test_what_has_nothing_to_do_with_the_states_is_at_chance(items, candidates, generator):
    setting = Setting(generator, items, candidates)
    order = torch.randperm(ITEMS, generator=generator)  # whose words are another's has nothing to do with the items
    human = replace(setting.human, states=setting.human.states[order], bags=setting.human.bags[order])
    table = setting.table(human=human)
    assert set(table["candidates"]) == {candidates}
    assert table["chance"].tolist() == pytest.approx([1 / candidates] * len(table))
    for cell in (NATIVE, ("H", "H*", "utterance", "shuffled"), ("R", "H*", "message", "dice"),
                 ("H", "R", "utterance", "dice"), ("R", "R", "message", "silence")):  # fmt: skip
        assert table.loc[cell, "value"] == pytest.approx(1 / candidates, abs=0.05), cell
    # a word that says nothing of any of the items leaves the listener with all of them
    nothing = setting.listeners.human.credit(torch.zeros(ITEMS, items), setting.robot.states)
    assert nothing.tolist() == pytest.approx([1 / candidates] * ITEMS)


def test_messages_of_one_game_count_as_one_and_one_that_was_drawn_twice_is_one_message(setting, played):
    together = replace(setting.human, games=torch.arange(ITEMS) // 400, traces=torch.arange(ITEMS) % 70)  # ten games
    grouped, translated, counts = setting.table(human=together), ("H", "R", "utterance", "good"), ["groups", "distinct"]
    assert grouped.loc[translated, counts].tolist() == [10, 70]
    assert played.loc[translated, counts].tolist() == grouped.loc[NATIVE, counts].tolist() == [ITEMS, ITEMS]
    assert played["value"].tolist() == grouped["value"].tolist()  # every item is played as before


# the driving game offers two ways to draw distractors

ROAD = torch.zeros(8, 8, dtype=torch.bool)
ROAD[3:5] = True
# cars start at the west end of the road and want to its east end: half of the road is never seen in play
STARTS = torch.tensor([4 * (8 * row + column) + 1 for row in (3, 4) for column in (0, 1)])
LAYOUTS = Layouts(ROAD.flatten()[None], [STARTS], [torch.tensor([31, 39])])


class Local(HumanListener):
    """Understands one word, which means: at the west end."""

    def fits(self, observations):
        west = observations[:, 1] // 4 % 8 <= 1
        return torch.stack([west, torch.zeros_like(west)], dim=1)


def driven(game: DrivingGame, generator: torch.Generator, items: int = 400) -> pd.DataFrame:
    own = game.observe(game.reset(items, generator))[:, 0]
    states, number = game.with_distractors(own, generator), torch.arange(items)
    bags, messages = torch.eye(2)[torch.zeros(items, dtype=torch.long)], torch.randn(items, 4, generator=generator)
    human = HumanSpeech(states, bags, {"utterance": torch.zeros(items, dtype=torch.long)}, number, number)
    torch.manual_seed(0)
    cell, speaker = Cell(game, CellConfig(hidden=8, message=4)), RobotSpeaker(game, hidden=8, message=4, scale=0.3)
    listeners = Listeners.of(game, cell, speaker, Local(game, hidden=4, words=2))
    conditions = [Condition("mine", "mine (ours)", "ours", Translated(bags, {"utterance": messages}))]
    asked = []

    def informed(robot: Speech, human: HumanSpeech) -> Condition[Translated]:
        assert torch.equal(robot.states[:, 0], states[:, 0])  # only the distractors are others
        asked.append(torch.equal(robot.states, states))
        return Condition("informed", "informed", "upper bound", Translated(bags))

    table = evaluate_belief(
        listeners, Speech(number, states, messages), human, conditions, 100, generator, informed=informed
    )
    assert asked == [True, False][: table["distractors"].nunique()]
    return table


def test_the_driving_game_is_evaluated_again_with_distractors_anywhere_which_are_easier(generator):
    table = driven(DrivingGame(LAYOUTS), generator)
    assert list(dict.fromkeys(table["distractors"])) == ["play", "anywhere"]  # the game's own come first
    assert set(table["listener"]) == {"R*", "H*"}
    own, anywhere = (table[table["distractors"] == name].set_index(KEYS) for name in ("play", "anywhere"))
    assert own.index.equals(anywhere.index)
    shuffled = ("H", "H*", "utterance", "shuffled")
    assert own.loc[shuffled, "value"] == 0.5  # true state and distractor are both at the west end
    assert anywhere.loc[shuffled, "value"] > 0.8  # even the words of another message help


def test_a_driving_game_that_draws_them_anywhere_itself_is_evaluated_once(generator):
    assert set(driven(DrivingGame(LAYOUTS, distractors="anywhere"), generator)["distractors"]) == {"anywhere"}


# what humans said


def traces(said: list[tuple[int, ...]], games: torch.Tensor) -> Traces:
    starts = torch.tensor([0, *torch.tensor([len(each) for each in said]).cumsum(0).tolist()])
    phrases = Lists(torch.tensor([phrase for each in said for phrase in each]), starts, 3)
    return Traces(torch.arange(2 * len(said)).view(-1, 2), phrases, phrases, games)


def test_human_speech_is_drawn_without_repetition_while_it_lasts(generator):
    parts = ((0,), (1,), (2,), (0, 1), (0, 2))
    spoken, game = traces([*parts] * 2, games=torch.arange(10)), ReferenceGame(torch.eye(20))
    speech = HumanSpeech.draw(game, spoken, None, parts, 10, generator)
    assert sorted(speech.states[:, 0].tolist()) == list(range(0, 20, 2))
    again = HumanSpeech.draw(game, spoken, None, parts, 25, generator)
    assert len(again.states) == 25
    assert again.traces.bincount().tolist() == pytest.approx([2.5] * 10, abs=0.5)  # all equally often


def test_what_is_translated_is_the_whole_utterance_or_one_of_its_phrases_and_never_silence(generator):
    said = [(0,), (1,), (1, 2), (0, 2), (2,)] * 40
    parts = ((0,), (1,), (2,), (0, 2), (1, 2))
    game, spoken = ReferenceGame(torch.eye(400)), traces(said, torch.arange(200))
    speech = HumanSpeech.draw(game, spoken, None, parts, 200, generator)
    phrases = {}
    for utterance, phrase, trace in zip(
        speech.units["utterance"].tolist(), speech.units["phrase"].tolist(), speech.traces.tolist(), strict=True
    ):
        assert parts[utterance] == said[trace]
        phrases.setdefault(said[trace], set()).add(phrase)
    assert phrases == {each: set(each) for each in parts}  # any of them, and none other
    assert torch.equal(speech.bags.bool(), spoken.phrases.bags(speech.traces).bool())
    aloud = HumanSpeech.draw(game, spoken, 0, parts, 200, generator)
    assert 0 not in aloud.units["utterance"].tolist()


# what listeners hear

DICTIONARY = pd.DataFrame(
    [
        ("R->H", "mine", 10, 1, 2),
        ("R->H", "mine", 10, 2, 0),
        ("R->H", "mine", 11, 1, 1),
        ("R->H", "mine", 11, 2, 2),
        ("R->H", "theirs", 10, 1, 0),
        ("R->H", "mine", 99, 1, 0),  # a message that is not evaluated
        ("H->R", "mine", 0, 1, 7),
        ("H->R", "mine", 0, 2, 5),
        ("H->R", "mine", 1, 1, 5),
    ],
    columns=["direction", "criterion", "source_id", "rank", "target_id"],
)
CRITERIA = {
    "mine": {"kind": "belief", "role": "ours", "members": 3},
    "theirs": {"kind": "direct", "role": "baseline", "members": 1},
    "dice": {"kind": "random", "role": "control", "members": 1},
}


def test_a_listener_hears_the_best_phrases_of_each_message_and_no_more_than_asked_for(task):
    assert best_translations(DICTIONARY, "H->R", "mine") == {0: 7, 1: 5}
    robot = Speech(torch.tensor([11, 10]), torch.zeros(2, 2), torch.zeros(2, 4))
    words = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 1, 1]])  # phrase 2 is two words
    translations = replace(task.translations, robot=robot)
    assert translations.phrases(DICTIONARY, "mine", words).tolist() == [[0, 1, 0], [0, 1, 1]]
    assert translations.phrases(DICTIONARY, "mine", words, best=2).tolist() == [[0, 2, 1], [1, 1, 1]]


def by_dictionary(task: SmallTask, folder, best: int = 1) -> tuple[dict, dict[str, Condition[Translated]]]:
    files = task.write(folder, CRITERIA)
    found = task.translations.by_dictionary(files["dictionary.parquet"], best, task.generator)
    return files, {each.name: each for each in found}


def test_under_each_criterion_listeners_hear_what_its_dictionary_has(task, tmp_path):
    files, found = by_dictionary(task, tmp_path, best=2)
    assert [(each.title, each.role) for each in found.values()] == [
        ("mine (ours, chosen on dev)", "ours"),
        ("theirs (baseline)", "baseline"),
        ("dice (control)", "control"),
    ]
    dictionary, mine = read_table(files["dictionary.parquet"], "dictionary").to_pandas(), found["mine"].heard
    assert mine.phrases.shape == (len(task.said.ids), len(PHRASES))
    assert (mine.phrases.sum(1) == 2).all()  # two phrases
    best = best_translations(dictionary, "R->H", "mine")
    assert all(mine.phrases[row, best[number]] == 1 for row, number in enumerate(task.said.ids.tolist()))
    best, place = best_translations(dictionary, "H->R", "mine"), task.vocabulary.ids.tolist()
    assert set(mine.messages) == {"utterance", "phrase"}
    for unit, said in task.speech.units.items():
        expected = task.vocabulary.messages[[place.index(best[number]) for number in said.tolist()]]
        assert torch.equal(mine.messages[unit], expected)


def test_the_same_criteria_translate_again_in_other_contexts(task, tmp_path):
    files, found = by_dictionary(task, tmp_path)
    path = files["dictionary.parquet"]
    same, other = (
        task.translations.by_dictionary(path, 1, task.generator, candidates)
        for candidates in (task.candidates, task.game.candidates(task.game.draw_states(60, task.generator)))
    )
    for place, name in enumerate(("mine", "theirs")):
        assert torch.equal(same[place].heard.phrases, found[name].heard.phrases)
        assert torch.equal(same[place].heard.messages["phrase"], found[name].heard.messages["phrase"])
        assert not torch.equal(other[place].heard.phrases, found[name].heard.phrases)


def test_a_random_translation_is_drawn_anew_for_every_item_and_is_never_silence(task, tmp_path):
    dice = by_dictionary(task, tmp_path)[1]["dice"].heard
    assert dice.phrases.sum(0).gt(0).tolist() == [phrase != "" for phrase in PHRASES]
    drawn = [tuple(message) for message in dice.messages["utterance"].tolist()]
    assert set(drawn) <= {tuple(message) for message in task.vocabulary.messages.tolist()}
    said = task.speech.units["utterance"]
    of_one = {message for message, utterance in zip(drawn, said.tolist(), strict=True) if utterance == said[0]}
    assert len(of_one) > 5  # the same utterance becomes many messages


def test_descriptions_are_heard_as_all_their_words_beside_those_of_another_message(task, tmp_path):
    ours, others = task.translations.by_description(task.describe(tmp_path))
    assert ours.heard.phrases[:4].tolist() == [[0] * 5, [0, 1, 0, 0, 0], [0, 1, 0, 0, 1], [0, 1, 0, 0, 0]]
    assert torch.equal(others.heard.phrases, ours.heard.phrases.roll(1, 0))
    assert (ours.role, others.role) == ("extension", "control")
    belief = evaluate_belief(task.listeners, task.said, task.speech, [ours, others], 100, task.generator)
    heard = belief[belief["criterion"].isin([ours.name, others.name])]
    assert set(heard["english"]) == {"description"}
    assert set(belief.loc[belief["speaker"] == "H", "english"]) == {""}


# the interpreter


def test_the_interpreter_knows_the_candidates_but_not_which_of_them_is_true(task):
    def words(states: torch.Tensor) -> torch.Tensor:
        return task.translations.interpreted(replace(task.said, states=states), task.speech).heard.phrases

    states = task.said.states
    assert torch.equal(words(states), words(states.flip(1)))
    assert (words(states) != words(task.game.redraw(states, torch.Generator().manual_seed(1)))).any()


# Proposition 1 next to what was measured


@pytest.mark.parametrize(("criterion", "translated"), [("mine", 0.6), ("theirs", 0.55)])
def test_the_bound_is_of_the_translations_made_and_the_loss_of_the_games_own_distractors(
    task, tmp_path, criterion, translated
):
    cells = [("R", "message", "none", 0.69), ("R", "message", "mine", 0.6), ("R", "message", "theirs", 0.55)]
    cells += [("H", "utterance", "mine", 0.1), ("H", "phrase", "mine", 0.2)]
    own = pd.DataFrame(cells, columns=["speaker", "unit", "criterion", "value"])
    belief = pd.concat([own.assign(distractors="play"), own.assign(distractors="anywhere", value=own["value"] + 0.3)])
    files = task.write(tmp_path, CRITERIA)
    dictionary, spoken = read_table(files["dictionary.parquet"], "dictionary").to_pandas(), task.language(task.said)
    made = measured_bound(spoken, task.english, task.candidates, dictionary, belief, criterion).iloc[0]
    scores = BeliefCriterion(weights="source", divergence="forward").scores(spoken, task.english, task.candidates)
    best = dictionary.query("direction == 'R->H' and criterion == @criterion and rank == 1")
    expected = [float(scores[row.source_id - 1000, row.target_id]) for row in best.itertuples()]
    assert made["divergence"] == pytest.approx(sum(expected) / len(expected))
    assert made["bound"] == pytest.approx(math.sqrt(2 * made["divergence"]))
    assert made[["native", "translated", "lost"]].tolist() == pytest.approx([0.69, translated, 0.69 - translated])
