"""The tables that only the driving task has."""

import pyarrow as pa

from neuralese.storage.tables import Contract
from neuralese.storage.values import COUNT, FIRST, ROW, SHARE, SPLIT, Between, Matches, Rules

PLACE = Between(0, 7)  # maps have eight rows and columns

MAPS = Contract(
    "maps",
    {
        "map": pa.int32(),
        "road": pa.string(),  # eight lines of '#' (road) and '.'
        "starts": pa.list_(pa.int32()),  # poses in which cars began, and cells they had to reach: see `roads`
        "goals": pa.list_(pa.int32()),
    },
    Rules(
        {"map": ROW, "road": Matches(r"(?:[#.]{8}\n){7}[#.]{8}", "eight lines of eight signs # or .")}
        | {"starts": Between(0, 255), "goals": Between(0, 63)}
    ),
)
GAMES = Contract(
    "games",
    {
        "game": pa.int32(),
        "map": pa.int32(),
        "split": pa.string(),
        "completed": pa.bool_(),
        "reward": pa.float64(),
        "n_turns": pa.int32(),
    },
    Rules({"split": SPLIT, "map": COUNT, "n_turns": COUNT}, unique=(("game",),)),
)
TURNS = Contract(
    "turns",
    {
        **dict.fromkeys(("game", "turn", "player", "row", "col", "direction", "goal_row", "goal_col"), pa.int32()),
        "done": pa.bool_(),
        "action": pa.int8(),  # none in a game's last state
        "message": pa.string(),
    },
    Rules(
        {"player": Between(0, 1), "turn": COUNT, "direction": Between(0, 3), "action": Between(0, 3)}
        | {"row": Between(-1, 7), "col": Between(-1, 7), "goal_row": PLACE, "goal_col": PLACE},  # -1: off the road
        unique=(("game", "turn", "player"),),
        missing=("action",),
    ),
)
WORDS = Contract(
    "words",
    {"word_id": pa.int32(), "word": pa.string(), "count": pa.int64()},
    Rules({"word_id": ROW, "count": COUNT}, unique=(("word",),)),
)
WATCHED = Contract(
    "watched",
    {  # driving games to watch; the same starts under all criteria
        **dict.fromkeys(("pair", "criterion"), pa.string()),
        **dict.fromkeys(("game", "turn", "player", "map", "pose", "goal", "action"), pa.int32()),
        **dict.fromkeys(("who", "said", "outcome"), pa.string()),
        "reward": pa.float64(),
    },
    Rules({"player": Between(0, 1), "turn": COUNT, "action": Between(0, 3)}),
)
RELAY_CHOICE = Contract(
    "relay_choice",
    {  # pairs of members played on dev; the first of each criterion was chosen
        **dict.fromkeys(("criterion", "to_english", "to_neuralese", "voice", "settings"), pa.string()),
        **dict.fromkeys(("accuracy", "understood", "reward", "completion"), pa.float64()),
        **dict.fromkeys(("rank", "games"), pa.int64()),
    },
    Rules(
        dict.fromkeys(("accuracy", "understood", "completion"), SHARE) | {"rank": FIRST},
        unique=(("criterion", "rank"),),
        missing=("accuracy", "understood"),
    ),
)
