"""What the files are that the driving task alone has."""

from neuralese.storage.described import Described, table
from neuralese.tasks.driving.tables import GAMES, MAPS, RELAY_CHOICE, TURNS, WATCHED, WORDS

_MOVES = {
    "game": "The game's number.",
    "turn": "The turn, from 0.",
    "player": "Which of the two, 0 or 1.",
    "map": "The road layout.",
    "action": "0 wait, 1 forward, 2 turn left and advance, 3 turn right and advance.",
}

DESCRIBED = {
    "maps.parquet": Described(
        "The road layouts.",
        MAPS,
        {
            "map": "The layout's number.",
            "road": "Eight lines of `#` (road) and `.`.",
            "starts": "Poses in which cars began.",
            "goals": "Cells that they had to reach.",
        },
    ),
    "games.parquet": Described(
        "The games of human drivers.",
        GAMES,
        _MOVES | {"completed": "Whether both cars arrived.", "reward": "The game's reward."},
    ),
    "turns.parquet": Described(
        "Who was where in them, did and said what.",
        TURNS,
        _MOVES
        | {
            "row": "The row of the car's head; -1 off the road.",
            "col": "Its column.",
            "direction": "Which way it points, 0 to 3.",
            "goal_row": "The row of its goal.",
            "goal_col": "Its column.",
            "done": "Whether it has arrived.",
            "action": f"{_MOVES['action']} None in a game's last state.",
            "message": "What its driver said; empty for silence.",
        },
    ),
    "words.parquet": Described(
        "The words that the model human knows.",
        WORDS,
        {"word_id": "Its place in this table, from 0.", "word": "The word."},
    ),
    "behavior_test.parquet": table("behavior", "How robots drive with recorded humans whose messages are translated."),
    "silent_agent.safetensors": Described("An agent that was trained without a channel, if `silent_agents` is set."),
    "silent_history.parquet": table("history", "Its learning curves."),
    "relay_choice.parquet": Described(
        "The pairs of members that were played on dev; the first of each criterion was chosen.",
        RELAY_CHOICE,
        {
            "to_english": "The member that translates out of neuralese.",
            "to_neuralese": "The member that translates back into it.",
            "voice": "How a phrase is said in neuralese: as `recorded`, as the `mean` message, or as a `new` one.",
            "settings": "The members' settings, as JSON.",
            "accuracy": "How often the robot at the end guesses the state, where that was screened.",
            "reward": "Mean reward of the dev games that it played.",
            "games": "How many dev games that were.",
        },
    ),
    "driver.safetensors": Described("The model human who drives."),
    "driver.json": Described("What words are worth to it on held-out moves of people."),
    "listening.parquet": table("listening", "How a robot drives with a model human who listens."),
    "watched.parquet": Described(
        "Driving games turn by turn, with what is said in English.",
        WATCHED,
        _MOVES
        | {
            "criterion": "By which they are translated.",
            "pose": "Where the car is, and which way it points.",
            "goal": "The cell that it has to reach.",
            "who": "`robot` or `human`.",
            "said": "What was said, in English.",
            "outcome": "How the game ended, in its last turn.",
            "reward": "The reward so far.",
        },
    ),
    "game_robots.png": Described("One of the games of two robots as a picture."),
    "game_robots.gif": Described("The same, moving."),
    "game_mixed.png": Described("One of the games of a robot with a human."),
}
