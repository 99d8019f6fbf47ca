"""Where the recorded driving games are."""

from neuralese.data.data_sets import Archive, DataSet

DRIVING = DataSet(
    title="382 human games of the driving task, by Andreas, Dragan & Klein (2017)",
    licence="released with the paper",
    archives=(
        Archive(
            file="logs",
            mirror="neuralese-fa55efc.tar.gz",
            urls=("https://github.com/jacobandreas/neuralese/archive/fa55efcc9c7ae864e55682c306576cfc6c2234b6.tar.gz",),
            used=r"data/drive/server_logs/([^/]+\.json)$",
            content_sha256="a8526fb48ba4709181995dd9a0ddfc43f020d86bf05e1eaf664aec6b639ebcd6",
        ),
    ),
)
