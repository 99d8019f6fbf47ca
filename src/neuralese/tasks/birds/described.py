"""What the files are that the bird task alone has."""

from neuralese.storage.described import Described
from neuralese.tasks.birds.data import CAPTIONS, FEATURES, IMAGES, POOLED

DESCRIBED = {
    "images.parquet": Described(
        "The birds.",
        IMAGES,
        {
            "path": "Its path in the data set.",
            "class_id": "The species, from 0.",
            "class_name": "What it is called.",
            "box": "Where the bird is: left, top, width and height in pixels.",
        },
    ),
    "captions.parquet": Described(
        "What was said of them.", CAPTIONS, {"caption_id": "The sentence.", "caption": "What it says."}
    ),
    "backbone.onnx": Described("The network that looks at the images."),
    "pooled.parquet": Described(
        "What it sees in them.",
        POOLED,
        {"pooled": "Products of principal components of the feature maps.", "average": "Their average."},
    ),
    "failed_images.json": Described("Images that could not be read, and why."),
    "features.parquet": Described("What the players see of each image.", FEATURES),
    "head_accuracy.json": Described("How well these features tell the species."),
}
