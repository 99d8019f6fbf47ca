"""Make the bird game's inventory, items, human traces and provenance."""

from neuralese.sources.provenance import write_provenance
from neuralese.stages import stage
from neuralese.storage.files import read_json
from neuralese.storage.tables import read_table, write_table
from neuralese.tasks.birds import cub
from neuralese.tasks.birds.cub import bird_items
from neuralese.tasks.birds.tables import CAPTIONS, FEATURES, IMAGES
from neuralese.tasks.items import traces_table

with stage(snakemake):
    given, made = snakemake.input, snakemake.output
    images = read_table(given.images, IMAGES).to_pandas()
    captions = read_table(given.captions, CAPTIONS).to_pandas()
    training = images.loc[images["split"] == "train", "image_id"]
    inventory = cub.inventory(captions.loc[captions["image_id"].isin(training), "caption"], snakemake.params.bigrams)
    write_table(made.inventory, inventory, "inventory")
    items = bird_items(images, read_table(given.features, FEATURES))
    write_table(made.item_table, items, "items")
    captions = captions.merge(items.select(["image_id", "item_id"]).to_pandas(), on="image_id")
    said = cub.traces(captions["caption"], list(inventory["phrase"]))
    write_table(made.traces, traces_table(captions["item_id"], phrases=said), "traces")
    rows = {"images": len(images), "captions": len(captions), "items": len(items)}
    write_provenance(made.provenance, given.raw, rows, left_out=read_json(given.failed))
