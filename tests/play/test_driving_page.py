"""A whole game in a browser, against a trained robot."""

import pytest
from people import MESSAGES, way

from neuralese.data.archives import write_tar
from neuralese.tasks.driving import logs
from neuralese.tasks.driving.logs import layouts, replay

ARROWS = ["ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft"]
TURNS = {1: 0, 2: -1, 3: 1}  # by how many quarters an action turns the car


pytestmark = pytest.mark.slow


@pytest.fixture
def page(open_page, server):
    """The page of `server`."""
    return open_page(server, ".hint")


def drive(page, server, messages):
    """Play the page's game to its end by keyboard and buttons."""
    said, state = iter(messages), server.session.state()
    while not state["outcome"]:
        if message := next(said, ""):
            page.fill("#message", message)
            page.press("#message", "Enter")  # back at the wheel
        action, direction = way(state), state["car"]["direction"]
        if state["turn"] % 2:
            page.click(f"[data-action='{action}']")
        else:
            page.keyboard.press(ARROWS[(direction + TURNS[action]) % 4])
        page.wait_for_function("turn => document.querySelectorAll('#talk li').length > turn", arg=state["turn"])
        state = server.session.state()
    return state


def test_a_whole_game(page, server, tmp_path):
    assert page.locator(".car").count() == 1
    state = drive(page, server, MESSAGES)
    assert page.locator("#outcome").inner_text() in ("Both cars have arrived.", "The cars crashed.")
    assert page.locator(".car").count() == 2  # the fog has lifted
    talk = page.locator("#talk li")
    assert talk.count() == state["turn"]
    assert "heard as “going left”, the nearest phrase" in talk.nth(1).inner_text()
    assert page.locator("#play").is_hidden()
    page.locator("#step").fill("0")
    assert page.locator("#step-label").inner_text() == f"Step 0 of {state['turn']}"

    (path,) = server.session.saved
    assert page.locator("#note").inner_text() == f"Saved as {path}."
    write_tar(tmp_path / "logs", {f"x/data/drive/server_logs/{path.name}": path.read_bytes()})
    maps, turns, bad = logs.parse(tmp_path / "logs")
    assert bad == {}
    assert [message for message in turns["message"] if message in MESSAGES[:2]] == MESSAGES[:2]
    played = replay(layouts(maps, turns), turns)
    assert played.loc[0, "wrong"] is None
    assert bool(played.loc[0, "completed"]) == (state["outcome"] == "arrived")

    page.click("#new")
    page.wait_for_selector(".hint")
    assert talk.count() == 0
    assert page.complaints == []


def test_a_turn_that_another_tab_has_played_is_shown_not_played_twice(page, server):
    server.session.act(0, 0, "")
    page.keyboard.press(" ")
    page.wait_for_selector("#talk li")
    assert page.locator("#heard").inner_text() == "That turn has been played already."
    assert server.session.state()["turn"] == 1


@pytest.mark.parametrize("width", [390, 1280])
def test_the_page_fits_narrow_and_wide_windows(page, width):
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_everything_that_can_be_done_has_a_name_and_can_be_reached_by_key(page):
    for name in ("Turn left and advance", "Go forward", "Turn right and advance", "Wait", "New game"):
        button = page.get_by_role("button", name=name, exact=True)
        button.focus()
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid", name
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.id") == "message"
    assert page.get_by_label("You say").get_attribute("id") == "message"


def test_two_robots_are_watched_step_by_step(page, server):
    page.goto(server.url + "watch.html")
    page.wait_for_selector(".car")
    assert page.locator(".car").count() == 2
    assert page.locator("#talk li").count() == 0
    page.keyboard.press("ArrowRight")
    page.click("#next")
    assert page.locator("#talk li").count() == 2
    assert page.locator("#talk q").count() >= 2
    page.keyboard.press("ArrowLeft")
    assert page.locator("#talk li").count() == 1
    last = page.locator("#step").get_attribute("max")
    page.locator("#step").fill(last)
    assert page.locator("#talk li").count() == int(last)
    ending = page.locator("#outcome").inner_text()
    assert ending.startswith(("Both cars have arrived", "The cars crashed", "Time is up"))
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.complaints == []
