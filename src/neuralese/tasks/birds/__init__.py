"""Naming birds: a reference game over the images of Caltech-UCSD Birds, which people described."""

from neuralese.data.data_sets import Archive, DataSet

CUB = DataSet(
    title="Caltech-UCSD Birds 200-2011, described by Reed et al. (2016)",
    licence="non-commercial research and education",
    archives=(
        Archive(
            file="images",
            mirror="CUB_200_2011_224px.tar",  # all images, scaled to a short side of at most 224 pixels
            urls=("https://data.caltech.edu/records/65de6-vp158/files/CUB_200_2011.tgz",),
            used=r"CUB_200_2011/(images/.+\.jpg|(?:images|image_class_labels|classes|bounding_boxes)\.txt)$",
            content_sha256="60d9c1146475e31fe402805f5b61e7d36a76d43bf8ddc9161ed267bf9f8adf2d",
            file_md5="97eceeb196236b17998738112f37df78",
            largest=3 << 29,  # 1.1 GB, with some margin
        ),
        Archive(
            file="captions",
            mirror="birds.zip",
            urls=(
                "https://github.com/Jagadeesh-N/DF-GAN-Text-to-Image-Synthesis/raw/"
                "1ca5fed5f8573402ae98b4f73a89f89498334900/data/birds.zip",
            ),
            used=r"^(birds/(?:captions|(?:train|test)/filenames)\.pickle)$",
            content_sha256="df568011f9bb57089d888270a8aca37f5b521350f58057a7319c4589fe0423d5",
            supplied="cvpr2016_cub.tar.gz",  # the original release, text_c10/<class>/<image>.txt
        ),
        Archive(
            file="splits",
            mirror="neuralese-fa55efc.tar.gz",
            urls=("https://github.com/jacobandreas/neuralese/archive/fa55efcc9c7ae864e55682c306576cfc6c2234b6.tar.gz",),
            used=r"data/birds/((?:train|val|test)\.txt)$",
            content_sha256="0ffc4b8c8b7c7a9a9d8308aded4cc1abb73b589111e55d74f9f5825fe3afb833",
        ),
    ),
)
