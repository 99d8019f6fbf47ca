"""The report of a whole quick run, opened from disk in a real browser without network; and Snakemake's own report."""

import re
from pathlib import Path

import pytest

WIDE, NARROW = ("light", 1280), ("dark", 390)
READABLE = (Path(__file__).parent / "readable.js").read_text()  # returns what is wrong
OWN = ("file:", "data:", "blob:")  # addresses of the page itself and of what is in it
on_both = pytest.mark.parametrize("page", [WIDE, NARROW], ids=["light-1280", "dark-390"], indirect=True)


@pytest.fixture(scope="module")
def report(project, browser):
    """Opens the report once for each theme and width, since drawing takes seconds; `wrong` collects errors."""
    pages = {}

    def opened(theme: str, width: int):
        if (theme, width) not in pages:
            context = browser.new_context(color_scheme=theme, viewport={"width": width, "height": 900})
            context.set_offline(True)
            context.set_default_timeout(120_000)  # ms, for a busy machine
            page = pages[theme, width] = context.new_page()
            wrong = page.wrong = []
            page.on("console", lambda message: wrong.append(message.text) if message.type == "error" else None)
            page.on("pageerror", lambda error: wrong.append(str(error)))
            page.on("request", lambda asked: None if asked.url.startswith(OWN) else wrong.append(asked.url))
            page.goto((project.quick / "report" / "index.html").as_uri())
        return pages[theme, width]

    yield opened
    for page in pages.values():
        page.context.close()


@pytest.fixture
def page(report, request):
    """The report as the previous test left it, scrolled to the top; errors and requests fail the test."""
    opened = report(*getattr(request, "param", WIDE))
    opened.wait_for_selector("html[data-ready]")
    opened.evaluate("scrollTo({top: 0, behavior: 'instant'})")
    yield opened
    wrong, opened.wrong[:] = list(opened.wrong), []
    assert not wrong


def test_the_report_is_one_file_of_less_than_15_mb_and_every_figure_is_an_image(project):
    folder = project.quick / "report"
    assert [path.name for path in folder.glob("[!.]*")] == ["index.html"]
    text = (folder / "index.html").read_text(encoding="utf-8")
    assert len(text.encode()) < 15_000_000
    assert text.count("embedded stand-in, generated; not comparable with the paper") == 3
    names = {path.name for path in (project.quick / "figures").iterdir()}
    figures = ["table_1a", "table_1b", "table_2", "table_3", "ablation", "theory"]
    figures += [f"examples_{task}_seed0" for task in ("birds", "colors", "driving")]
    assert {f"{name}.{kind}" for name in figures for kind in ("svg", "png")} <= names


@on_both
def test_the_first_screen_shows_what_was_found_and_little_follows_before_unfolding(page):
    figure = page.locator(".dots")
    assert figure.locator(".dot").count() == 10  # three judges of English in two tasks, one in driving; robots in all
    assert figure.bounding_box()["y"] + figure.bounding_box()["height"] < 900
    assert page.locator(".findings li").count() == 3
    assert page.locator("nav").bounding_box()["y"] == 0
    screens = page.evaluate("document.documentElement.scrollHeight / 800")
    assert screens <= (8 if page.viewport_size["width"] == 1280 else 16)


@on_both
def test_all_is_readable_and_named_and_headings_are_in_order(page):
    assert page.evaluate(READABLE) == []


@on_both
def test_chapters_unfold_with_their_charts_and_nothing_is_wider_than_the_screen(page):
    for chapter in page.locator("details.chapter").all():
        chapter.locator("summary").click()
    for task in ("colors", "birds", "driving"):
        for part in ("cloud", "protocol"):
            page.wait_for_selector(f"[data-part={part}][data-task={task}] svg.marks")
        page.wait_for_selector(f"[data-charts=learning-{task}] svg.marks")
    page.wait_for_selector("#theory svg.marks")
    assert page.locator("#games .player").count() == 1
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.evaluate(READABLE) == []


@on_both
def test_the_theme_can_be_changed(page):
    background = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(background)
    page.locator("#theme").click()
    assert page.evaluate(background) != before
    assert page.evaluate(READABLE) == []
    page.locator("#theme").click()


def test_the_explorer_answers_a_click_and_the_keyboard(page):
    explorer = page.locator("#explore")
    panel = explorer.locator(".panel")
    assert explorer.locator(".tiles label").count() == 36
    before = panel.inner_text()
    explorer.locator(".tiles label").nth(3).click()
    clicked = panel.inner_text()
    assert clicked != before
    assert "Of the two, the more" in clicked
    page.keyboard.press("ArrowRight")
    assert panel.inner_text() not in (before, clicked)
    says = panel.locator(".says").inner_text()
    panel.locator(".rows label:has-text('belief 3')").click()
    assert panel.locator(".says").inner_text() != says
    page.keyboard.press("ArrowDown")  # the keyboard is still among the translations
    assert panel.locator(".rows label:has(input:checked)").inner_text().startswith("belief 4")
    explorer.locator("label:has-text('Driving')").click()
    assert "A description, since the robot saw this state alone." in panel.inner_text()
    explorer.locator("label:has-text('Birds')").click()
    assert panel.locator("img").first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_phrases_are_found_and_show_where_robots_say_them(page):
    explorer = page.locator("#explore")
    explorer.locator("label:has-text('Colours')").click()
    explorer.locator("label:has-text('English → robot')").click()
    explorer.get_by_label("Find a phrase").fill("gree")
    phrases = explorer.locator(".chips label:visible em").all_inner_texts()
    assert phrases
    assert all("gree" in phrase for phrase in phrases)
    explorer.get_by_label("Find a phrase").fill("")
    explorer.locator(".chips label").first.click()
    assert "Understood by H*" in explorer.locator(".panel").inner_text()
    assert explorer.locator(".where li").count() == 6
    assert "numbers" in explorer.locator(".panel").inner_text()


def test_the_address_keeps_the_choice(page):
    explorer = page.locator("#explore")
    explorer.locator("label:has-text('Driving')").click()
    explorer.locator("label:has-text('English → robot')").click()
    explorer.locator(".chips label").nth(4).click()
    chosen = explorer.locator(".panel").inner_text()
    shared = page.url
    page.goto("about:blank")
    page.goto(shared)
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#explore .panel").inner_text() == chosen
    assert page.locator("#explore").evaluate("box => box.getBoundingClientRect().top < innerHeight")
    page.goto(shared.split("#")[0] + "#theory")
    assert page.locator("#theory").get_attribute("open") is not None


def test_examples_are_in_every_task_and_can_be_looked_at(page):
    for task in ("colors", "birds", "driving"):
        assert page.locator(f"[data-part=examples][data-task={task}] li").count() == 6
    example = page.locator("[data-part=examples][data-task=birds] li").nth(2)
    example.locator("a").click()
    assert page.locator("#explore .panel .says").inner_text() == example.locator(".says").inner_text()


@on_both
def test_embedded_data_have_a_banner_and_no_verdict(page):
    assert page.locator(".verdict").count() == 0
    assert page.locator(".banner").first.inner_text().startswith("Embedded data.")


def opened(page, chapter):
    if page.locator(f"#{chapter}").get_attribute("open") is None:
        page.locator(f"#{chapter} summary").click()
    return page.locator(f"#{chapter}")


def test_the_cloud_shows_the_state_of_a_message(page):
    cloud = opened(page, "protocol").locator("[data-task=birds] .cloud")
    cloud.locator("svg.marks").wait_for()
    before = cloud.locator(".cloud-state").inner_text()
    cloud.locator(".chart").focus()
    page.keyboard.press("ArrowRight")
    assert cloud.locator(".cloud-state").inner_text() != before
    assert cloud.locator(".cloud-state img").count() == 2


def test_the_driving_player_steps_by_click_and_by_keyboard(page):
    player = opened(page, "games").locator("[data-part=games] > div > div").first  # below it are games side by side
    now = player.locator(".now")
    player.get_by_label("Game").select_option("4")  # the first with a human
    assert "human" in now.inner_text()
    assert "Turn 1 of" in now.inner_text()
    drawn = player.locator("svg").inner_html()
    player.get_by_role("button", name="Next").click()
    assert "Turn 2 of" in now.inner_text()
    player.get_by_label("Turn", exact=True).focus()
    page.keyboard.press("ArrowRight")
    assert "Turn 3 of" in now.inner_text()
    player.get_by_role("button", name="Back").press("Enter")
    assert "Turn 2 of" in now.inner_text()
    player.get_by_role("button", name="Last").click()
    assert player.locator("svg").inner_html() != drawn


@on_both
def test_games_from_the_same_start_step_together(page):
    together = opened(page, "games").locator(".watched-together")
    boards = together.locator("figure")
    names = boards.locator("figcaption strong").all_inner_texts()
    assert {"silence", "neuralese"} <= set(names)
    before = together.locator(".side-by-side").inner_text()
    together.get_by_role("button", name="Last").click()
    assert together.locator(".side-by-side").inner_text() != before
    assert all("reward" in text for text in boards.all_inner_texts())


def test_snakemake_makes_a_report_with_a_caption_for_every_output(project):
    code, output = project.snakemake("--report", "report.html", "--configfile", "config/quick.yaml")
    assert code == 0, output
    text = (project.folder / "report.html").read_text(encoding="utf-8")
    for category in ("Report", "Tables", "Figures", "Theory", "Protocols", "Dictionaries", "Data"):
        assert re.search(rf'"{category}"', text), category
    for name in ("index.html", "comparison.html", "table_1a.svg", "examples_driving_seed0.svg"):
        assert name in text
