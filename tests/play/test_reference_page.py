"""Whole reference games in a browser: by keyboard, by touch on a narrow screen, and two robots to be watched."""

import json

import pytest

pytestmark = pytest.mark.slow
WORDS = {"colors": "light blue", "birds": "black beak"}


@pytest.fixture
def visit(open_page, serve, sit):
    """Open a page of a new session."""
    return lambda task, name="", narrow=False: open_page(serve(sit(task)), ".candidate", name, narrow)


def text(page, name: str) -> str:
    return page.locator(f"#{name}").inner_text()


def answered(page) -> dict:
    """The round that was just played, once the page shows it."""
    page.wait_for_selector("#result:not([hidden])")
    return page.session.state()


def begun(page, number: int) -> None:
    """Wait until the page shows a round."""
    page.wait_for_function(
        "text => document.getElementById('round').textContent.startsWith(text)", arg=f"Round {number} "
    )


def pictures_are_there(page) -> bool:
    """Wait until no picture is under way, and look at all of them."""
    page.wait_for_function("() => [...document.images].every(image => image.complete)")
    return page.evaluate("[...document.images].every(image => image.naturalWidth > 0)")


@pytest.mark.parametrize("task", ["colors", "birds"])
def test_a_whole_game_by_keyboard(visit, task):
    page = visit(task)
    for number in range(1, 5):
        begun(page, number)
        assert pictures_are_there(page)
        if number % 2:
            assert page.locator(".candidate.target").count() == 1
            assert page.evaluate("document.activeElement.id") == "words"
            page.keyboard.type(WORDS[task])
            page.keyboard.press("Enter")
        else:
            assert page.locator(".candidate.target").count() == 0
            assert text(page, "said").strip("“”") in page.session.state()["phrases"]
            page.keyboard.press("2")
        state = answered(page)
        listener = "The robot" if number % 2 else "You"
        assert text(page, "verdict").startswith(f"{listener} picked")
        assert ("right one" in text(page, "verdict")) == state["result"]["right"]
        assert page.locator(".bar").count() == 4  # what the words say, and what the message says
        assert page.locator(".strip rect").count() == 16
        assert page.locator("#history li").count() == number
        page.keyboard.press("Enter")
    assert text(page, "outcome") == f"The game is over: {state['score']} of 4 right."
    assert text(page, "note") == f"Saved as {page.session.saved[0]}."
    assert json.loads(page.session.saved[0].read_text())["rounds"][0]["text"] == WORDS[task]
    begun(page, 1)  # Enter was New game
    assert page.locator("#history li").count() == 0
    assert page.complaints == []


def test_a_whole_game_by_touch_on_a_narrow_screen(visit):
    page = visit("birds", narrow=True)
    for number in range(1, 5):
        begun(page, number)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        if number % 2:
            if number == 1:
                page.tap("summary:has-text('What the dictionary knows')")
            page.locator("#inventory button", has_text="black beak").first.tap()
            assert page.input_value("#words") == "black beak"
            page.tap("#say button")
        else:
            page.locator("button.candidate").first.tap()
        answered(page)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        if number < 4:
            page.tap("#next")
    assert text(page, "outcome").startswith("The game is over")
    assert page.complaints == []


def test_words_that_say_nothing_are_refused_and_neither_they_nor_the_turn_are_lost(visit):
    page = visit("colors")
    page.fill("#words", "xyzzy")
    page.press("#words", "Enter")
    page.wait_for_selector("#heard.refused")
    assert "no word like “xyzzy”" in text(page, "heard")
    assert page.input_value("#words") == "xyzzy"
    assert page.session.state()["played"] == 0


@pytest.mark.parametrize("narrow", [False, True])
def test_two_robots_are_watched_step_by_step(visit, narrow):
    page = visit("colors", "watch.html", narrow=narrow)
    steps = page.locator("#steps > li")
    assert steps.count() == 1
    for number in range(2, 6):
        page.tap("#step") if narrow else page.keyboard.press("ArrowRight")
        page.wait_for_function("count => document.getElementById('steps').children.length === count", arg=number)
    titles = [steps.nth(number).locator("h2").inner_text() for number in range(5)]
    assert titles[0] == "The first robot sees"
    assert titles[2] == "The mine dictionary says, in English"
    assert titles[4].startswith("The second robot picks")
    assert page.locator(".strip").count() == 2
    assert " of 1 understood through English, " in text(page, "watched")
    assert pictures_are_there(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= (390 if narrow else 1280)
    page.click("#step")
    page.wait_for_function("() => document.getElementById('steps').children.length === 1")
    assert page.complaints == []


def test_watching_goes_on_by_itself_until_it_is_stopped(visit):
    page = visit("birds", "watch.html?pause=60")
    page.keyboard.press("a")
    page.wait_for_function(
        "() => document.getElementById('watched').textContent.includes('of 3 understood')", timeout=60000
    )
    page.keyboard.press("a")
    assert page.locator("#auto").get_attribute("aria-pressed") == "false"
    page.wait_for_function("() => document.body.getAttribute('aria-busy') === 'false'")  # what was under way is there
    before = text(page, "watched")
    page.wait_for_timeout(400)
    assert text(page, "watched") == before
