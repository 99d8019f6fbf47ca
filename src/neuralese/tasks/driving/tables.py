"""The tables that only the driving task has."""

from neuralese.storage import schema

GAME = schema.int32("The game's number.")
TURN = schema.int32("The turn, from 0.", low=0)
PLAYER = schema.int32("Which of the two, 0 or 1.", low=0, high=1)
MAP = schema.int32("The road layout.", low=0)
ACTIONS = "0 wait, 1 forward, 2 turn left and advance, 3 turn right and advance."

MAPS = schema.contract("maps").of(
    map=schema.int32("The layout's number.", row_number=True),
    road=schema.text("Eight lines of eight signs, `#` (road) or `.`.", pattern=r"(?:[#.]{8}\n){7}[#.]{8}"),
    starts=schema.int32s("Poses in which cars began.", low=0, high=255),
    goals=schema.int32s("Cells that they had to reach.", low=0, high=63),
)
GAMES = schema.contract("games", "game").of(
    game=GAME,
    map=MAP,
    split=schema.SPLIT,
    completed=schema.boolean("Whether both cars arrived."),
    reward=schema.float64("The game's reward."),
    n_turns=schema.int32("How many turns it had.", low=0),
)
TURNS = schema.contract("turns", "game, turn, player").of(
    game=GAME,
    turn=TURN,
    player=PLAYER,
    row=schema.int32("The row of the car's head; -1 off the road.", low=-1, high=7),
    col=schema.int32("Its column.", low=-1, high=7),
    direction=schema.int32("Which way it points, 0 to 3.", low=0, high=3),
    goal_row=schema.int32("The row of its goal.", low=0, high=7),
    goal_col=schema.int32("Its column.", low=0, high=7),
    done=schema.boolean("Whether it has arrived."),
    action=schema.int8(f"{ACTIONS} None in a game's last state.", low=0, high=3, optional=True),
    message=schema.text("What its driver said; empty for silence."),
)
WORDS = schema.contract("words", "word").of(
    word_id=schema.int32("Its place in this table, from 0.", row_number=True),
    word=schema.text("The word."),
    count=schema.int64("How often it was said.", low=0),
)
WATCHED = schema.contract("watched").of(  # the same starts under all criteria
    pair=schema.text("Who plays with whom, such as `R/H`."),
    criterion=schema.text("By which they are translated."),
    game=GAME,
    turn=TURN,
    player=PLAYER,
    map=MAP,
    pose=schema.int32("Where the car is, and which way it points."),
    goal=schema.int32("The cell that it has to reach."),
    action=schema.int32(ACTIONS, low=0, high=3),
    who=schema.text("`robot` or `human`."),
    said=schema.text("What was said, in English."),
    outcome=schema.text("How the game ended, in its last turn."),
    reward=schema.float64("The reward so far."),
)
# pairs of members played on dev; the first of each criterion was chosen
RELAY_CHOICE = schema.contract("relay_choice", "criterion, rank").of(
    criterion=schema.CRITERION,
    to_english=schema.text("The member that translates out of neuralese."),
    to_neuralese=schema.text("The member that translates back into it."),
    voice=schema.text("How a phrase is said in neuralese: as `recorded`, or as the `mean` message."),
    settings=schema.text("The members' settings, as JSON."),
    accuracy=schema.share("How often the robot at the end guesses the state, where that was screened.", optional=True),
    understood=schema.share("How often the model human guesses the state from the same English.", optional=True),
    reward=schema.float64("Mean reward of the dev games that it played."),
    completion=schema.share("Share of games that were completed."),
    rank=schema.int64("1 is the best.", low=1),
    games=schema.int64("How many dev games that were."),
)
