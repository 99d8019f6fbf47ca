"""Naming colours: a reference game over the answers of the XKCD colour survey."""

from neuralese.data.data_sets import Archive, DataSet

XKCD = DataSet(
    title="XKCD colour survey, as prepared by McMahan & Stone (2015)",
    licence="CC0",
    archives=(
        Archive(
            file="xkcd",
            mirror="xkcd-munroecorpus.tar.xz",
            urls=(
                "https://github.com/hamdans-eth/colors/archive/5edc0e8778f40723508f27e835a583f96cf1bfff.tar.gz",
                "http://paul.rutgers.edu/~bcm84/rugstk_v1.0.tar.gz",  # the authors' own, which has no https
            ),
            used=r"munroecorpus/(corpusindex\.txt|train/[^/]+_train|(?:5dev|25test)/[^/]+\.test)$",
            largest=1 << 30,
            content_sha256="23de0cb432c5a77273d939336415ffb735f6f79c39d0ab9b5363bbed64d08013",
        ),
    ),
)
