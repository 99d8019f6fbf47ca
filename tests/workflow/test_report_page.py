"""The report of a whole quick run, opened from disk in a real browser without network; and Snakemake's own report."""

import re

import pytest

WIDE, NARROW = ("light", 1280), ("dark", 390)
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
    opened.wait_for_selector("#theory svg")
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
def test_the_first_screen_shows_what_was_found_and_the_list_of_sections_stays(page):
    first = page.locator("header h2").first
    assert first.inner_text() == "What was found"
    assert "Translated by belief" in page.locator(".paragraph").inner_text()
    assert page.locator("[data-charts=found] svg.marks").count() == 1
    assert first.bounding_box()["y"] < 900
    assert page.locator("#run").bounding_box()["y"] > page.locator("#theory").bounding_box()["y"]
    page.locator("nav a[href='#ablation']").click()
    page.wait_for_selector("nav a[href='#ablation'][aria-current]")
    assert page.locator("nav").bounding_box()["y"] == 0


@on_both
def test_tables_fold_and_the_theme_can_be_changed(page):
    table = page.locator("#paper .fold").first
    shown = table.locator("table").is_visible()
    table.locator("summary").click()
    assert table.locator("table").is_visible() != shown
    background = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(background)
    page.locator("#theme").click()
    assert page.evaluate(background) != before


@on_both
def test_every_task_has_its_charts_and_nothing_is_wider_than_the_screen(page):
    for task in ("colors", "birds", "driving"):
        for place in (f"[data-charts=learning-{task}]", "[data-part=cloud]", "[data-part=protocol]"):
            assert page.locator(f"#{task} {place} svg.marks").count() > 0
        assert page.locator(f"#{task} .explorer .card").count() == 12
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    assert page.locator("#birds .card img").first.evaluate("image => image.decode().then(() => image.naturalWidth)") > 0


def test_the_explorer_answers_a_click_and_the_keyboard(page):
    explorer = page.locator("#colors .explorer")
    told = explorer.locator("[role=status]")
    before = told.inner_text()
    explorer.locator("legend:has-text('Messages') + div label").nth(3).click()
    clicked = told.inner_text()
    assert clicked != before
    page.keyboard.press("ArrowRight")
    assert told.inner_text() not in (before, clicked)
    explorer.get_by_label("Direction").select_option("H->R")
    assert "is translated as message" in told.inner_text()
    explorer.get_by_label("Find a phrase").fill("gree")
    phrases = explorer.locator("legend:has-text('Phrases') + div label").all_inner_texts()
    assert phrases
    assert all("gree" in phrase for phrase in phrases)
    explorer.get_by_label("Criterion").select_option("synthesis")
    assert "new message for" in told.inner_text()


def test_the_address_keeps_the_choice(page):
    explorer = page.locator("#driving .explorer")
    direction = explorer.get_by_label("Direction")
    direction.focus()
    direction.select_option("H->R")
    assert page.evaluate("document.activeElement.parentElement.textContent").startswith("Direction")
    explorer.get_by_label("Find a phrase").fill("no such phrase")
    assert "contains “no such phrase”" in explorer.inner_text()
    explorer.get_by_label("Find a phrase").fill("")
    explorer.locator("legend:has-text('Phrases') + div label").nth(4).click()
    chosen = explorer.locator(".answer h4").inner_text()
    shared = page.url
    page.goto("about:blank")
    page.goto(shared)
    page.wait_for_selector("html[data-ready]")
    assert page.locator("#driving .answer h4").inner_text() == chosen
    assert page.locator("#driving .explorer").evaluate("box => box.getBoundingClientRect().top < innerHeight")


@on_both
def test_wide_tables_have_a_hint_and_embedded_data_have_a_banner_and_no_verdict(page):
    assert page.locator(".verdict").count() == 0
    assert page.locator(".banner").first.inner_text().startswith("Embedded data.")
    for hint, box in zip(page.locator(".hint.wide").all(), page.locator(".hint.wide + .scroll").all(), strict=True):
        assert hint.is_visible() == box.evaluate("box => box.scrollWidth > box.clientWidth + 1")


def test_the_cloud_shows_the_state_of_a_message(page):
    cloud = page.locator("#birds .cloud")
    before = cloud.locator(".cloud-state").inner_text()
    cloud.locator(".chart").focus()
    page.keyboard.press("ArrowRight")
    assert cloud.locator(".cloud-state").inner_text() != before
    assert cloud.locator(".cloud-state img").count() == 2


def test_the_driving_player_steps_by_click_and_by_keyboard(page):
    player = page.locator("#driving [data-part=games] > div > div").first  # below it are games side by side
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
    together = page.locator("#driving .watched-together")
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
    for category in ("Report", "Tables", "Figures", "Theory", "Protocols", "Games", "Dictionaries", "Data"):
        assert re.search(rf'"{category}"', text), category
    for name in ("index.html", "comparison.html", "table_1a.svg", "examples_driving_seed0.svg"):
        assert name in text
