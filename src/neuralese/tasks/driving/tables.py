"""The tables that only the driving task has."""

from neuralese.storage.schema import (
    CRITERION,
    SPLIT,
    boolean,
    contract,
    float64,
    int8,
    int32,
    int32s,
    int64,
    share,
    text,
)

GAME = int32("The game's number.")
TURN = int32("The turn, from 0.", low=0)
PLAYER = int32("Which of the two, 0 or 1.", low=0, high=1)
MAP = int32("The road layout.", low=0)
ACTIONS = "0 wait, 1 forward, 2 turn left and advance, 3 turn right and advance."

MAPS = contract(
    "maps",
    map=int32("The layout's number.", row_number=True),
    road=text("Eight lines of eight signs, `#` (road) or `.`.", pattern=r"(?:[#.]{8}\n){7}[#.]{8}"),
    starts=int32s("Poses in which cars began.", low=0, high=255),
    goals=int32s("Cells that they had to reach.", low=0, high=63),
)
GAMES = contract(
    "games",
    "game",
    game=GAME,
    map=MAP,
    split=SPLIT,
    completed=boolean("Whether both cars arrived."),
    reward=float64("The game's reward."),
    n_turns=int32("How many turns it had.", low=0),
)
TURNS = contract(
    "turns",
    "game, turn, player",
    game=GAME,
    turn=TURN,
    player=PLAYER,
    row=int32("The row of the car's head; -1 off the road.", low=-1, high=7),
    col=int32("Its column.", low=-1, high=7),
    direction=int32("Which way it points, 0 to 3.", low=0, high=3),
    goal_row=int32("The row of its goal.", low=0, high=7),
    goal_col=int32("Its column.", low=0, high=7),
    done=boolean("Whether it has arrived."),
    action=int8(f"{ACTIONS} None in a game's last state.", low=0, high=3, optional=True),
    message=text("What its driver said; empty for silence."),
)
WORDS = contract(
    "words",
    "word",
    word_id=int32("Its place in this table, from 0.", row_number=True),
    word=text("The word."),
    count=int64("How often it was said.", low=0),
)
WATCHED = contract(  # the same starts under all criteria
    "watched",
    pair=text("Who plays with whom, such as `R/H`."),
    criterion=text("By which they are translated."),
    game=GAME,
    turn=TURN,
    player=PLAYER,
    map=MAP,
    pose=int32("Where the car is, and which way it points."),
    goal=int32("The cell that it has to reach."),
    action=int32(ACTIONS, low=0, high=3),
    who=text("`robot` or `human`."),
    said=text("What was said, in English."),
    outcome=text("How the game ended, in its last turn."),
    reward=float64("The reward so far."),
)
RELAY_CHOICE = contract(  # pairs of members played on dev; the first of each criterion was chosen
    "relay_choice",
    "criterion, rank",
    criterion=CRITERION,
    to_english=text("The member that translates out of neuralese."),
    to_neuralese=text("The member that translates back into it."),
    voice=text("How a phrase is said in neuralese: as `recorded`, as the `mean` message, or as a `new` one."),
    settings=text("The members' settings, as JSON."),
    accuracy=share("How often the robot at the end guesses the state, where that was screened.", optional=True),
    understood=share("How often the model human guesses the state from the same English.", optional=True),
    reward=float64("Mean reward of the dev games that it played."),
    completion=share("Share of games that were completed."),
    rank=int64("1 is the best.", low=1),
    games=int64("How many dev games that were."),
)
