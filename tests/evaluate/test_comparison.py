"""Our results next to the paper's: the rows, over seeds, in which section, and how they are written."""

import html
import math

import pandas as pd
import pytest
from comparison_rows import NAMES, PAPERS, behavior_rows, belief_rows

from neuralese.evaluate.comparison import (
    BOUND,
    EASIER,
    EMBEDDED_NOTE,
    JUDGE,
    JUDGES,
    ONE_SEED,
    PHRASE,
    SECTIONS,
    TESTS_NOTE,
    compare,
    gain_text,
    notes,
    read_comparison,
    to_html,
    to_latex,
    to_markdown,
)
from neuralese.evaluate.statistics import holm
from neuralese.storage.schema import CONTRACTS
from neuralese.storage.tables import write_table

PAGES = (to_markdown, to_latex, to_html)


@pytest.fixture(scope="module")
def whole() -> pd.DataFrame:
    return compare(belief_rows(), behavior_rows(), PAPERS)


def test_the_rows_of_these_tests_are_those_of_the_tables(tmp_path):
    for name, table in (("belief", belief_rows()), ("behavior", behavior_rows())):
        write_table(tmp_path / f"{name}.parquet", table, name)
        assert set(CONTRACTS[name].columns) <= set(table)


def test_every_figure_of_the_paper_stands_beside_a_row_of_ours(whole):
    criteria = {"printed": "belief", "released": "belief", "ours": "belief", "baseline": "direct", "control": "random"}
    names = {name: criteria[role] for role, (name, _) in NAMES.items()} | {"none": "none"}
    beside = {}
    for row in whole[whole["paper"].notna()].itertuples():
        if row.measure == "accuracy":
            speaker, listener = row.pair.replace("R*", "R").split(" → ")
            key = (row.task, speaker, listener, names[row.criterion])
        else:
            key = (row.pair, names[row.criterion], row.measure)
        beside.setdefault(key, set()).add(row.paper)
    expected = {(task, *cell): {value} for task, paper in PAPERS.items() for cell, value in paper.belief.items()}
    assert len(expected) == 3 * 8
    for (pair, criterion), figures in PAPERS["driving"].behavior.items():
        for measure, value in zip(("reward", "completion"), figures, strict=True):
            if value is not None:
                expected[pair, criterion, measure] = {value}
    assert beside == expected


def test_a_figure_is_set_only_beside_what_was_measured_in_the_papers_way(whole):
    told = whole[whole["paper"].notna() & (whole["measure"] == "accuracy")]
    assert set(told["unit"]) == {"message", "utterance"}  # a phrase of what was said is not what the paper translates
    assert set(told.loc[told["task"] == "driving", "section"]) == {EASIER}  # its distractors are anywhere on the road
    assert set(told.loc[told["task"] != "driving", "section"]) == {""}
    assert not told["criterion"].isin(["shuffled", "pragmatic"]).any()
    row = told.query("task == 'colors' and pair == 'R → H*' and criterion == 'belief'").iloc[0]
    assert (row["table"], row["paper"], row["difference"]) == ("1a", 0.86, pytest.approx(0.75 - 0.86))


def test_the_papers_criterion_is_known_by_its_role_and_not_by_its_name():
    belief = belief_rows(tasks=("birds",))
    roles = {"belief": "", "direct": "ours", "random": "baseline"}
    other = belief.assign(role=[roles.get(*each) for each in zip(belief["criterion"], belief["role"], strict=True)])
    rows = compare(other, papers=PAPERS).set_index(["pair", "section", "criterion"])["paper"]
    assert rows["R → H*", "", "direct"] == 0.75
    assert rows["R → H*", "", "random"] == 0.57
    assert pd.isna(rows["R → H*", "", "belief"])


def test_no_figure_of_the_paper_stands_beside_a_harder_question():
    """The paper's listeners choose between two states."""
    table = compare(belief_rows(tasks=("colors",)).assign(candidates=3, chance=1 / 3), papers=PAPERS)
    assert table[["paper", "difference"]].isna().all(axis=None)
    assert all("(chance 0.33)" in page(table) for page in PAGES)


def test_a_task_that_the_paper_has_not_has_the_same_tables_by_its_own_name():
    belief = belief_rows(tasks=("colors",)).assign(task="shapes")
    behavior = behavior_rows().assign(task="shapes")
    table = compare(belief, behavior, {"shapes": None})
    assert table["paper"].isna().all()
    accuracies = table["measure"] == "accuracy"
    assert set(table.loc[accuracies, "table"]) == {"shapes"}
    assert set(table.loc[~accuracies, "table"]) == {"shapes_behavior"}
    ours = compare(belief_rows(tasks=("colors",)), behavior_rows(), PAPERS)
    same = ["section", "pair", "unit", "criterion", "measure", "value", "ci_low", "ci_high", "p_holm"]
    pd.testing.assert_frame_equal(table[same], ours[same])
    for page in PAGES:
        assert "shapes" in page(table)


def test_every_row_is_in_its_section(whole):
    belief = whole[whole["measure"] == "accuracy"].set_index("section")
    assert set(belief.loc[PHRASE, "unit"]) == {"phrase"}
    assert set(belief.loc[EASIER, "task"]) == {"driving"}
    assert set(belief.loc[JUDGE, "role"]) == {"asks the judge"}
    assert set(belief.index[belief["role"] == "upper bound"]) == {BOUND, EASIER}
    assert set(belief.loc["", "task"]) == {"colors", "birds", "driving"}
    assert not (belief.loc["", "unit"] == "phrase").any()
    assert set(whole.loc[whole["measure"] != "accuracy", "section"]) == {""}
    # under a heading that does not say so, one phrase of what was said is told from all of it by its title
    for name in ("criterion", "title"):
        assert not whole.duplicated(["task", "section", "pair", "unit", name, "measure"]).any()
    assert not whole.duplicated(["task", "section", "pair", "title", "measure"]).any()
    assert (whole["seeds"] == 2).all()


def test_a_task_with_but_the_easier_distractors_has_them_in_its_main_section():
    belief = belief_rows()
    table = compare(belief[belief["distractors"] == "anywhere"], papers=PAPERS)
    assert set(table["task"]) == {"driving"}
    assert set(table["section"]) == {"", PHRASE, BOUND}
    assert table["paper"].notna().any()


def test_one_seed_tests_nothing_and_the_notes_say_so(whole):
    table = compare(belief_rows(seeds=1), behavior_rows(seeds=1), PAPERS)
    assert table.filter(regex="_p_seeds$|^p_holm$").isna().all(axis=None)
    for page in PAGES:
        one, several = html.unescape(page(table)), html.unescape(page(whole))
        assert ONE_SEED in one and TESTS_NOTE not in one  # noqa: PT018
        assert TESTS_NOTE in several and ONE_SEED not in several  # noqa: PT018


def test_the_main_claims_and_they_alone_are_corrected_for_their_number(whole):
    main = whole["section"].isin(["", *JUDGES]) & (whole["measure"] == "accuracy") & (whole["role"] == "ours")
    assert main.sum() == 10  # three tasks, two directions, and two more judges of English in two of the tasks
    corrected = whole.loc[main, "p_holm"]
    assert corrected.tolist() == pytest.approx(holm(whole.loc[main, "over_baseline_p_seeds"].to_numpy()).tolist())
    assert (corrected > whole.loc[main, "over_baseline_p_seeds"]).all()
    assert whole.loc[~main, "p_holm"].isna().all()


def test_embedded_results_are_never_set_beside_the_paper():
    table = compare(belief_rows("embedded"), behavior_rows("embedded"), PAPERS)
    assert table["paper"].isna().all()
    assert table["difference"].isna().all()
    for page in PAGES:
        assert "not comparable" in page(table)
        assert "0.86" not in page(table[table["measure"] == "accuracy"])
    assert EMBEDDED_NOTE not in notes(compare(belief_rows("mirror"), papers=PAPERS))


def test_the_comparison_is_read_back_from_its_file_as_it_was(whole, tmp_path):
    (tmp_path / "comparison.csv").write_text(whole.to_csv(index=False))
    read = read_comparison(tmp_path / "comparison.csv")
    pd.testing.assert_frame_equal(read, whole.astype({"paper": float, "difference": float}), check_dtype=False)
    for page in PAGES:
        assert page(read) == page(whole)


@pytest.mark.parametrize("name", ["NA", "null", "nan", "None", "my, own"])
def test_a_criterion_may_be_called_anything(name, tmp_path):
    belief = belief_rows(tasks=("colors",))
    renamed = belief["criterion"].where(belief["role"] != "ours", name)
    table = compare(belief.assign(criterion=renamed, title=renamed), papers=PAPERS)
    (tmp_path / "comparison.csv").write_text(table.to_csv(index=False))
    read = read_comparison(tmp_path / "comparison.csv")
    assert read["criterion"].tolist() == table["criterion"].tolist()
    assert read["title"].tolist() == table["title"].tolist()


def test_every_page_has_each_section_with_its_title_and_every_row(whole):
    for page in PAGES:
        text = html.unescape(page(whole))
        assert text.count("Behaviour evaluation") == 2
        for title in SECTIONS.values():
            assert title in text
    lines = [line for line in to_markdown(whole).splitlines() if line.startswith("|")]
    assert len(lines) == len(whole) + 2 * 9  # with two lines of head for each of nine tables


def test_latex_escapes_what_latex_would_swallow(whole):
    page = to_latex(whole)
    assert r"95\% interval" in page
    assert r"R $\to$ H$^*$" in page
    assert r"H $\to$ R$^*$" in page
    table = [line for line in page.splitlines() if not line.startswith("%")]
    assert not any("<" in line.replace("$<$", "") for line in table)
    odd = to_latex(whole.assign(title="50%_better & #1"))
    rows = [line for line in odd.splitlines() if "better" in line]
    assert len(rows) == len(whole)
    assert all(r"& 50\%\_better \& \#1 &" in line for line in rows)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ((0.1234, 0.0004, 0.0024), "+0.123 (p < 0.001, Holm = 0.002)"),
        ((-0.05, 0.25), "-0.050 (p = 0.250)"),
        ((0.05, math.nan), "+0.050"),
        ((math.nan, math.nan), ""),
    ],
)
def test_a_gain_is_written_with_its_tests(given, says):
    assert gain_text(*given) == says
