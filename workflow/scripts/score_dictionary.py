"""Score candidate translations in both directions."""

from neuralese.agents.messages import read_contexts, read_messages
from neuralese.games.load import load_games
from neuralese.pipeline.stage import stage
from neuralese.speakers.models import HumanSpeaker, RobotSpeaker, load_model
from neuralese.storage.tables import read_table, write_table
from neuralese.translate.choice import chosen_criteria
from neuralese.translate.dictionary import build_dictionary
from neuralese.translate.languages import Composed, English, Neuralese
from neuralese.translate.meanings import write_meanings
from neuralese.translate.utterances import load_parts

with stage(snakemake.log[0], snakemake.threads):
    given, params = snakemake.input, snakemake.params
    game = load_games(dict(given.items()))["train"]
    phrases = read_table(given.inventory, "inventory")["phrase"].to_pylist()
    robot = load_model(given.robot, RobotSpeaker, game)
    said = read_messages(given.messages, game)
    neuralese = {split: Neuralese(game, robot, each.messages, each.ids) for split, each in said.items()}
    english = English(game, load_model(given.human, HumanSpeaker, game), phrases)
    candidates = game.candidates(read_contexts(given.contexts, game))
    criteria = chosen_criteria(given.criteria)
    dictionary = build_dictionary(
        english,
        Composed(english, load_parts(given.utterances)),
        spoken=[neuralese["dev"], neuralese["test"]],
        vocabulary=neuralese["train"],
        candidates=candidates,
        criteria=criteria,
        n_best=params.n_best,
    )
    write_meanings(snakemake.output.meanings, english, neuralese["train"], candidates)
    write_table(snakemake.output.dictionary, dictionary, "dictionary", about={"criteria": criteria})
