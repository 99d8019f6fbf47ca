"""The colour survey: where it is."""

from neuralese.sources.data_sets import Archive, DataSet

XKCD = DataSet(
    title="XKCD colour survey, as prepared by McMahan & Stone (2015)",
    licence="CC0",
    archives=(
        Archive(
            file="xkcd",
            mirror="xkcd-munroecorpus.tar.xz",
            urls=(
                "http://paul.rutgers.edu/~bcm84/rugstk_v1.0.tar.gz",
                "https://github.com/hamdans-eth/colors/archive/5edc0e8778f40723508f27e835a583f96cf1bfff.tar.gz",
            ),
            used=r"munroecorpus/(corpusindex\.txt|train/[^/]+_train|(?:5dev|25test)/[^/]+\.test)$",
            content_sha256="4daaca1b25a40b92dd60b9af0c719078ccf038d2e19f4361d1bb74eb2bd3bb6f",
        ),
    ),
)
