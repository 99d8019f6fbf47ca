"""From raw data to tables: one function per stage, each returning its files by name without suffix.

made = parse_colors("results/colors/raw", least_names=5)
write_files(["results/colors/colors.parquet", ...], made, [COLORS])

Each function imports what it needs itself: most need neither torch nor scikit-learn, which take seconds to import.
"""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from neuralese import tasks
from neuralese.data.data_sets import provenance
from neuralese.storage.files import read_json, write_bytes, write_json
from neuralese.storage.schema import Contract
from neuralese.storage.tables import read_table, write_table

Made = dict[str, Any]  # tables, and a mapping for each JSON file


def write_files(
    paths: Iterable[str | Path],
    made: Made,
    contracts: Iterable[Contract] = (),
    about: Mapping[str, Mapping[str, Any]] | None = None,
) -> None:
    """Write each of `made` to the path with its name; `contracts` are those of tables that not every task has."""
    own = {each.name: each for each in contracts}
    places = {Path(path).stem: path for path in paths}
    for name, content in made.items():
        if isinstance(content, dict):
            write_json(places[name], content)
        else:
            write_table(places[name], content, own.get(name, name), (about or {}).get(name))


def download(task: str, raw: str | Path, source: str, mirror: str | None, partial: str | Path) -> None:
    """Fetch a task's raw data into the folder `raw`; see `data.fetch.fetch`."""
    from neuralese.data.fetch import fetch, mirror_folder

    found, folder = tasks.get(task), mirror_folder(mirror)
    fetch(found.data_set, raw, source=source, mirror=folder, partial=partial, embed=found.embed)


def parse_colors(raw: str | Path, least_names: int) -> Made:
    """Every answer of the colour survey, the items of the game, and what people called them."""
    from neuralese.tasks.colors import data as xkcd
    from neuralese.tasks.items import items_table, traces_table, utterances_table

    colors = xkcd.add_lab(xkcd.parse(Path(raw) / "xkcd"))
    inventory = xkcd.inventory(colors, least_names)
    phrases = list(inventory["phrase"])
    traces = traces_table(range(len(colors)), phrases=xkcd.traces(colors, phrases))
    return {
        "colors": colors,
        "items": items_table(colors["split"], colors[["L", "a", "b"]].to_numpy()),
        "inventory": inventory,
        "traces": traces,
        "utterances": utterances_table(phrases, traces, colors["split"]),
        "provenance": provenance(raw, {"colors": len(colors)}),
    }


def parse_birds(raw: str | Path) -> Made:
    """Every image of a bird with its species, box and split, and the sentences that describe it."""
    from neuralese.tasks.birds.data import parse_captions, parse_images

    images = parse_images(Path(raw) / "images", Path(raw) / "splits")
    return {"images": images, "captions": parse_captions(Path(raw) / "captions", images)}


def extract_features(
    given: Mapping[str, str | Path],
    made: Mapping[str, str | Path],
    *,
    backbone: str,
    pixels: int,
    quantised: bool,
    components: int,
    workers: int = 1,
) -> None:
    """Write the network that looks at birds (`backbone`), what it sees in each (`pooled`), and which `failed`.

    `given` and `made` are the paths of the inputs and outputs by name. The network is fitted to training images only.
    The bytes written do not depend on the number of workers.
    """
    from threadpoolctl import threadpool_limits

    from neuralese.data.archives import members
    from neuralese.tasks.birds import features as birds
    from neuralese.tasks.birds.data import IMAGES, PICTURES, POOLED

    archive, listed = Path(given["raw"]) / "images", read_table(given["images"], IMAGES).to_pandas()
    with threadpool_limits(1):  # sums over several threads are rounded differently
        seen = list(birds.samples(members(archive, PICTURES), listed, pixels, birds.PICTURES_FOR_AXES))
        graph = birds.export_backbone(backbone, pixels)
        axes = birds.principal_axes(birds.Network(graph), seen, components)
        graph = birds.with_pooling(birds.quantise(graph, seen) if quantised else graph, axes)
        write_bytes(made["backbone"], graph)
        wanted = birds.wanted(listed)
        pooled, failed = birds.extract(birds.Network(graph), members(archive, PICTURES), wanted, workers)
    write_table(made["pooled"], pooled, POOLED)
    write_json(made["failed"], failed)


def train_head(images: str | Path, pooled: str | Path, head: Mapping[str, Any]) -> Made:
    """What players see of each bird: the hidden layer of a network trained to recognise the species."""
    from neuralese.tasks.birds.data import IMAGES, POOLED
    from neuralese.tasks.birds.head import HeadConfig, bird_features

    listed = read_table(images, IMAGES).to_pandas()
    features, accuracy = bird_features(read_table(pooled, POOLED), listed, HeadConfig(**head))
    return {"features": features, "head_accuracy": accuracy}


def prepare_birds(given: Mapping[str, str | Path], bigrams: int) -> Made:
    """The items of the bird game, and what people said of them; `given` are the paths of the inputs by name."""
    from neuralese.tasks.birds import data as cub
    from neuralese.tasks.birds.data import CAPTIONS, FEATURES, IMAGES
    from neuralese.tasks.items import traces_table, utterances_table

    images = read_table(given["images"], IMAGES).to_pandas()
    captions = read_table(given["captions"], CAPTIONS).to_pandas()
    training = images.loc[images["split"] == "train", "image_id"]
    inventory = cub.inventory(captions.loc[captions["image_id"].isin(training), "caption"], bigrams)
    phrases = list(inventory["phrase"])
    items = cub.bird_items(images, read_table(given["features"], FEATURES))
    captions = captions.merge(items.select(["image_id", "item_id", "split"]).to_pandas(), on="image_id")
    traces = traces_table(captions["item_id"], phrases=cub.traces(captions["caption"], phrases))
    rows = {"images": len(images), "captions": len(captions), "items": len(items)}
    return {
        "items": items,
        "inventory": inventory,
        "traces": traces,
        "utterances": utterances_table(phrases, traces, captions["split"]),
        "provenance": provenance(given["raw"], rows, left_out=read_json(given["failed"])),
    }


def parse_driving(raw: str | Path, dev_games: int, test_games: int, least_sent: int, least_words: int) -> Made:
    """The logged driving games, replayed to check them and to compute their reward, and what people said in them."""
    from neuralese.tasks.driving import logs
    from neuralese.tasks.items import traces_table, utterances_table

    maps, turns, bad = logs.parse(Path(raw) / "logs")
    games, turns, bad = logs.leave_out(logs.replay(logs.layouts(maps, turns), turns), turns, bad)
    games["split"] = logs.splits(len(games), dev_games, test_games)
    said = logs.speaking(turns)["message"]
    split = turns["game"].map(games.set_index("game")["split"])[said.index]
    messages = said[split != "test"]
    words = logs.vocabulary(messages, least_words)
    inventory = logs.inventory(messages, least_sent, list(words["word"]))
    phrases = list(inventory["phrase"])
    phrases_said, words_said = logs.traces(said, phrases, words["word"])
    traces = traces_table(said.index, phrases=phrases_said, words=words_said)
    counts = {"games": len(games), "turns": len(turns), "messages": int((turns["message"] != "").sum())}
    return {
        "maps": logs.layouts(maps, turns),
        "games": games,
        "turns": turns,
        "words": words,
        "inventory": inventory,
        "traces": traces,
        "utterances": utterances_table(phrases, traces, split),
        "provenance": provenance(raw, counts, left_out=bad),
    }


def prepare(task: str, raw: str | Path, settings: Mapping[str, Any]) -> Made:
    """The items of a task without stages of its own, and what people said of them."""
    from neuralese.tasks.items import inventory_table, utterances_table

    found = tasks.get(task).prepare(Path(raw), settings)
    split = found.items["split"].to_numpy(zero_copy_only=False)[found.traces["item_id"].to_numpy()]
    return {
        "items": found.items,
        "inventory": inventory_table(found.phrases, found.traces),
        "traces": found.traces,
        "utterances": utterances_table(found.phrases, found.traces, split),
        "provenance": provenance(raw, found.rows or {"items": len(found.items), "traces": len(found.traces)}),
    }
