import pytest
import torch

from neuralese.errors import NeuraleseError
from neuralese.games.reference import ReferenceGame
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker
from neuralese.translate.criteria import BeliefCriterion
from neuralese.translate.dictionary import build_dictionary, make_criterion, n_best
from neuralese.translate.languages import English, Neuralese

PHRASES = ["red", "green", "blue"]


@pytest.fixture
def dictionary(generator):
    torch.manual_seed(0)
    game = ReferenceGame(torch.randn(40, 3, generator=generator))
    robot = RobotSpeaker(game, hidden=8, message=4, scale=0.3)

    def neuralese(n: int, first: int) -> Neuralese:
        return Neuralese(game, robot, torch.randn(n, 4, generator=generator), torch.arange(first, first + n))

    return build_dictionary(
        English(game, HumanSpeaker(game, hidden=8, phrases=3), PHRASES),
        spoken=[neuralese(6, first=10), neuralese(5, first=16)],
        vocabulary=neuralese(10, first=0),
        candidates=game.candidates(game.draw_states(50, generator)),
        criteria={"belief": {"kind": "belief", "weights": "source", "scale": 2.0}, "direct": {"kind": "direct"}},
        n_best=2,
    )


def test_every_message_gets_its_n_best_in_both_directions(dictionary):
    counts = dictionary.groupby(["direction", "criterion"])["source_id"].agg(["nunique", "size"])
    for criterion in ("belief", "direct"):
        assert counts.loc[("R->H", criterion)].tolist() == [11, 22]
        assert counts.loc[("H->R", criterion)].tolist() == [3, 6]


def test_ranks_follow_scores_and_ids_are_those_of_the_tables(dictionary):
    for _, rows in dictionary.groupby(["direction", "criterion", "source_id"]):
        assert rows["rank"].tolist() == [1, 2]
        assert rows["score"].is_monotonic_increasing
    to_english = dictionary[dictionary["direction"] == "R->H"]
    assert set(to_english["source_id"]) == set(range(10, 21))
    assert all(PHRASES[row.target_id] == row.target for row in to_english.itertuples())
    assert set(dictionary[dictionary["direction"] == "H->R"]["target_id"]) <= set(range(10))


def test_equal_scores_keep_the_order_of_the_inventory():
    assert n_best(torch.tensor([[1.0, 0.0, 0.0, 1.0]]), 3)[0].tolist() == [[1, 2, 0]]


def test_a_criterion_is_built_from_its_settings():
    made = make_criterion({"kind": "belief", "weights": "sum", "divergence": "reverse", "scale": 2.0})
    assert made == BeliefCriterion("sum", "reverse")


@pytest.mark.parametrize(
    ("settings", "says"),
    [({"kind": "telepathy"}, "telepathy.*belief"), ({"kind": "direct", "weights": "sum"}, "no option 'weights'")],
)
def test_an_unknown_criterion_or_option_is_refused_by_name(settings, says):
    with pytest.raises(NeuraleseError, match=says):
        make_criterion(settings)
