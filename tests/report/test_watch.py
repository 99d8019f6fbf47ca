import pyarrow as pa
import torch
from matplotlib.image import imread
from PIL import Image

from neuralese.agents.cell import Cell, CellConfig
from neuralese.games.driving import GONE, DrivingGame, Layouts
from neuralese.storage.tables import write_table
from neuralese.tasks.driving.human import Humans
from neuralese.tasks.driving.tables import MAPS
from neuralese.tasks.driving.watch import CELL, draw_animation, draw_strip, pixels, road_map, watch

ROAD = "\n".join("########" if 3 <= row <= 4 else "." * 8 for row in range(8))


def players():
    road = torch.tensor([cell == "#" for cell in ROAD.replace("\n", "")])
    game = DrivingGame(Layouts(road[None], [torch.tensor([107, 137])], [torch.tensor([24, 39])]), max_steps=4)
    torch.manual_seed(0)
    return Cell(game, CellConfig(hidden=8, message=4)), game


def into_english(messages):
    return ["north"] * len(messages)


def watched(generator):
    cell, game = players()
    return watch(cell, game, game.reset(2, generator), into_english, generator)


def test_every_turn_of_both_players_is_noted_until_the_game_is_over(generator):
    table = watched(generator)
    for _, game in table.groupby("game"):
        assert game["turn"].tolist() == [turn for turn in range(len(game) // 2) for _ in (0, 1)]
        assert (game["outcome"].iloc[:-2] == "").all()
        assert (game.loc[game["pose"] == GONE, "said"] == "").all()
    assert set(table["said"]) <= {"north", ""}


def test_a_human_says_whole_utterances_in_its_own_words(generator):
    cell, game = players()
    world = game.reset(2, generator)
    seat, waiting = torch.tensor([0, 1]), torch.zeros(2, 3, dtype=torch.long)
    utterance = torch.tensor([[3, 0, 1], [0, 3, 0]])
    humans = Humans(torch.arange(2), seat, world, waiting, utterance, torch.ones(2, dtype=torch.bool))
    texts = ["", "left", "right", "left, right"]
    heard = []

    def say(said):
        heard.append(said.tolist())
        return torch.zeros(len(said), 4)

    table = watch(cell, game, world, into_english, generator, (humans, say, texts))
    assert table.groupby("game")["who"].agg(list).map(lambda who: who[:2]).tolist() == [
        ["human", "robot"],
        ["robot", "human"],
    ]
    for number, game_of in table[table["who"] == "human"].groupby("game"):
        turns = game_of["turn"].tolist()
        expected = [texts[utterance[number, min(turn, 2)]] for turn in turns]
        assert game_of["said"].tolist() == expected
        assert (game_of["action"] == 0).all()
    assert heard[:3] == utterance.T.tolist()


def test_a_strip_and_an_animation_show_every_turn(tmp_path, generator):
    game = watched(generator).query("game == 0")
    draw_strip(tmp_path / "strip.png", game, [ROAD], "two robots", columns=2)
    assert imread(tmp_path / "strip.png").std() > 0.05
    draw_animation(tmp_path / "game.gif", game, [ROAD], "two robots")
    assert Image.open(tmp_path / "game.gif").n_frames == game["turn"].nunique()


def test_a_road_map_shows_road_cars_and_goals():
    empty = road_map(ROAD, [])
    assert empty.shape == (8 * CELL, 8 * CELL, 3)
    assert (empty[4 * CELL, 4] != empty[0, 0]).any()
    one = road_map(ROAD, [(4 * (8 * 3 + 4) + 3, 8 * 3)])
    changed = (one != empty).any(2)
    rows, columns = changed.nonzero()
    assert rows.min() >= 3 * CELL  # all of it in row 3: the star in the first cell, the car in the fifth and sixth
    assert rows.max() < 4 * CELL
    assert changed[:, :CELL].any()
    assert columns.max() // CELL == 5
    assert (road_map(ROAD, [(GONE, 0)]) != empty).any()


def test_states_are_drawn_from_the_columns_of_messages(tmp_path):
    state = {"map": 0, "row": 3, "col": 4, "direction": 3, "goal_row": 3, "goal_col": 0}
    other = {"other_row": 4, "other_col": 1, "other_direction": 1, "other_goal_row": 4, "other_goal_col": 7}
    _, game = players()
    columns = {name: torch.tensor([value]) for name, value in (state | other).items()}
    target, distractor = game.codes(game.from_columns(columns))[0].tolist()
    maps = pa.table({"map": pa.array([0], pa.int32()), "road": [ROAD], "starts": [[107]], "goals": [[24]]})
    write_table(tmp_path / "maps.parquet", maps, MAPS)
    shown = pixels({"maps.parquet": tmp_path / "maps.parquet"}, {target, distractor})
    assert (shown[target] == road_map(ROAD, [(4 * 28 + 3, 24)])).all()
    assert (shown[distractor] == road_map(ROAD, [(4 * 33 + 1, 39)])).all()
