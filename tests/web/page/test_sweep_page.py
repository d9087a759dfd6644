"""The page of a sweep in a real browser. Its state is made here, but for the agents that it leads to."""

import math

import pytest
from support.browser import Watched
from support.page_driver import check_looks, until_moves, wait
from support.programs import wait_until
from support.sweeps import sweep
from support.web_server import serving

from tdl.web.library import Library
from tdl.web.site import Site

pytestmark = pytest.mark.extra

ALPHAS = (1.0, 0.5, 0.1, 0.05)
ROWS = "all => all.map(row => [...row.querySelectorAll('.name, .mean, .seeds, .why')].map(e => e.textContent))"
LOOK = "document.dispatchEvent(new Event('visibilitychange'))"
ON = "all => all.map(e => e.dataset.setting)"


def setting(name, values, mean, seeds, of=10, state="stays", why="", jobs=()):
    """A setting of a state, whose curve rises to its mean."""
    half = None if mean is None or seeds < 2 else 400.0 / seeds
    low, high = (None, None) if half is None else (mean - half, mean + half)
    at = [*range(100, 2001, 100)]
    means = [] if mean is None else [mean * (1 - math.exp(-games / 500)) for games in at]
    bounds = [[None if half is None else value + sign * half for value in means] for sign in (-1, 1)]
    curve = None if mean is None else {"at": at, "mean": means, "low": bounds[0], "high": bounds[1]}
    return {"name": name, "values": values, "mean": mean, "low": low, "high": high, "seeds": seeds, "of": of,
            "state": state, "why": why, "curve": curve, "jobs": [*jobs]}  # fmt: skip


def job(seed, name=None, score=None, status="waiting", watch=False):
    return {"seed": seed, "job": name, "score": score, "status": status, "watch": watch}


def state_of(settings, keys=(), status="running", running=(), answer="", race=None):
    """The state of a sweep of these settings."""
    jobs = dict.fromkeys(("finished", "running", "paused", "failed", "interrupted", "waiting", "spared"), 0)
    played = sum(setting["seeds"] for setting in settings)
    jobs |= {"all": sum(setting["of"] for setting in settings), "finished": played, "running": len(running)}
    jobs["waiting"] = jobs["all"] - played - len(running)
    shares = [{"key": key["key"], "share": 0.9 / len(keys)} for key in keys] if len(keys) > 1 else []
    return {
        "folder": "outputs/alpha", "name": "alpha", "prefix": "", "status": status, "jobs": jobs, "seconds": 812.0,
        "left": 600.0 if status == "running" else None, "at_most": True, "score": "mean score of 1,000 games",
        "along": "episode", "answer": answer, "notes": [], "race": race, "keys": [*keys],
        "settings": settings,
        "importance": {"shares": shares, "rest": 0.1, "text": "What each key explains by itself."},
        "running": [*running],
    }  # fmt: skip


def race(status="running"):
    """A race of four settings: one leads, one stays, one has stopped, one diverged."""
    running = job(6, "agent", status="running", watch=True)
    played = [job(seed, f"alpha0.5-seed{seed}", 4800.0 + seed, "finished") for seed in range(6)]
    names = [f"alpha {alpha:g}" for alpha in ALPHAS]
    settings = [
        setting(names[1], {"alpha": 0.5}, 4800.0, 6, state="leads", jobs=[*played, running, *map(job, range(7, 10))]),
        setting(names[2], {"alpha": 0.1}, 4700.0, 6),
        setting(names[3], {"alpha": 0.05}, 4200.0, 4, state="stopped",
                why="stopped after 4 seeds: 12% behind alpha 0.5; 6% were enough"),
        setting(names[0], {"alpha": 1.0}, None, 0, state="diverged", why="2 of 2 diverged"),
    ]  # fmt: skip
    keys = [{"key": "alpha", "name": "step size alpha", "scale": "log", "values": sorted(ALPHAS)}]
    runs = [{"job": "agent", "setting": 0, "seed": 6, "share": 0.4, "left": 12.0, "speed": 1.2e6, "watch": True}]
    answer = "Best: alpha 0.5, 4,800 [4,733, 4,867], 6 runs."
    return state_of(
        settings, keys, status, runs if status == "running" else (), answer, {"looks": 5, "text": "1 of 4"}
    )


def many():
    """50 settings of four keys and 20 seeds; the values of one are too close for a figure's axis of numbers."""
    scales = [("alpha", "log"), ("lambda", "names"), ("learner", "names"), ("tuples", "names")]
    settings = []
    for i in range(50):
        values = {"alpha": 0.01 * 1.1**i, "lambda": i / 50, "learner": ("td", "tc")[i % 2], "tuples": f"set{i % 5}"}
        settings.append(setting(f"setting {i}", values, 5000.0 - 20 * i, 20, 20, jobs=map(job, range(20))))
    keys = [{"key": key, "name": key, "scale": scale, "values": sorted({row["values"][key] for row in settings})}
            for key, scale in scales]  # fmt: skip
    return state_of(settings, keys)


class Shown:
    """The page of a state, which may become another one."""

    def __init__(self, server, state, stopped_clock=False, **options):
        self.watched, self.state, self.asked = Watched(**options), state, 0
        self.page, self.server = self.watched.page, server
        self.page.route("**/api/sweep?*", self._answer)
        if stopped_clock:
            self.page.clock.install(time=0)
        self.page.goto(f"{server.url}sweep?sweep=.")
        self.page.wait_for_selector("#settings li")
        if stopped_clock:
            self.page.clock.pause_at(1_000_000)

    def _answer(self, route):
        self.asked += 1
        if self.state is None:
            route.abort()
        else:
            route.fulfill(json=self.state)

    def become(self, state):
        """Another state, which the page sees at once."""
        self.state, before = state, self.asked
        self.page.evaluate(LOOK)
        wait_until(lambda: self.page.evaluate("true") and self.asked > before)

    def asks_after(self, milliseconds):
        """Whether the page asks again when so much time has gone by, on its clock."""
        before = self.asked
        self.page.clock.run_for(milliseconds)
        self.page.evaluate("fetch('/icon.svg').then(() => true)")  # what it asks for comes first
        return self.asked > before

    def close(self):
        self.watched.close(self.server.url)


@pytest.fixture
def shown(browser, server):
    pages = []

    def show(state, width=1280, **options):
        pages.append(Shown(server, state, viewport={"width": width, "height": 900}, **options))
        return pages[-1]

    yield show
    for page in pages:
        page.close()


def test_the_screen_alone_says_what_stopped_and_why(shown):
    page = shown(race()).page
    assert page.text_content("#answer") == "Best: alpha 0.5, 4,800 [4,733, 4,867], 6 runs."
    assert page.eval_on_selector_all("#settings > li", ROWS) == [
        ["alpha 0.5", "4,800", "6 of 10 seeds", "★ leads"],
        ["alpha 0.1", "4,700", "6 of 10 seeds", "in the race"],
        ["alpha 0.05", "4,200", "4 of 10 seeds", "■ stopped after 4 seeds: 12% behind alpha 0.5; 6% were enough"],
        ["alpha 1", "\u2013", "0 of 10 seeds", "✕ 2 of 2 diverged"],
    ]
    assert page.text_content("#status") == (
        "Running: 16 of 40 jobs are played, at most 10 min left; 14 min of one core so far. "
        "Race after 5 looks: 1 of 4."
    )
    assert page.eval_on_selector_all("#parts li", "all => all.map(e => e.textContent)") == [
        "16 done", "1 running", "23 waiting",
    ]  # fmt: skip
    assert "their order is not known" in page.text_content("#notes")
    assert page.title() == "40% alpha \u2013 tdl"
    assert page.get_attribute("#settings button", "aria-label") == (
        "alpha 0.5: 4,800 [4,733, 4,867], 6 of 10 seeds, ★ leads. Jobs"
    )
    assert page.text_content("#running .text") == "40% · 12 s left · 1.2M moves/s"


def test_a_dot_is_where_its_mean_is_and_one_far_below_is_off_the_scale(shown):
    settings = [setting(f"alpha {i}", {"alpha": i}, mean, 5) for i, mean in enumerate((4800.0, 4700.0, 4600.0, 10.0))]
    page = shown(state_of(settings)).page
    at = page.eval_on_selector_all("#settings b", "all => all.map(e => [parseFloat(e.style.left), e.className])")
    assert at[0][0] - at[1][0] == pytest.approx(at[1][0] - at[2][0], abs=0.01)
    assert [off for _, off in at] == ["", "", "", "off"]


def test_what_is_new_is_shown_in_place(shown):
    """The same elements, the focus where it was, and the colours of settings that are still among the best."""
    shows = shown(race())
    page = shows.page
    page.focus("#settings li:nth-child(2) button")
    page.evaluate(
        "for (const e of document.querySelectorAll('#settings li, #curves path, #keys path')) e.before = true"
    )
    colours = "all => Object.fromEntries(all.map(e => [e.dataset.setting, e.dataset.colour]))"
    before = page.eval_on_selector_all("#settings li", colours)
    after = race()
    first, second, *others = after["settings"]
    first |= {"state": "stays"}
    second |= {"state": "leads", "mean": 4900.0}
    after["settings"] = [second, first, *others]
    shows.become(after)
    wait(page, "document.querySelector('#settings .name').textContent === 'alpha 0.1'")
    assert page.evaluate("[...document.querySelectorAll('#settings li, #curves path')].every(e => e.before)")
    assert page.evaluate("document.activeElement.closest('li').dataset.setting") == "alpha 0.1"
    assert page.eval_on_selector_all("#settings li", colours) == before
    shows.become(race("ended"))
    wait(page, "document.getElementById('status').textContent.startsWith('Ended: ')")
    assert page.title() == "alpha \u2013 tdl"
    assert page.is_hidden("#running-part")


def test_a_sweep_that_runs_is_asked_for_again_unless_nobody_looks_or_it_is_over(shown):
    shows = shown(race(), stopped_clock=True)
    shows.become(race() | {"answer": "A new one."})
    wait(shows.page, "document.getElementById('answer').textContent === 'A new one.'")
    assert not shows.asks_after(1500)
    assert shows.asks_after(1000)
    shows.page.evaluate("Object.defineProperty(document, 'hidden', { get: () => true, configurable: true })")
    assert not shows.asks_after(20_000)
    shows.page.evaluate("delete document.hidden")
    shows.become(race("ended"))
    wait(shows.page, "document.getElementById('status').textContent.startsWith('Ended')")
    assert not shows.asks_after(9000)
    assert shows.asks_after(2000)


def test_a_server_that_has_gone_is_told_and_the_last_state_stays(shown):
    shows = shown(race())
    shows.become(None)
    shows.page.wait_for_selector("#error:not([hidden])")
    assert "server does not answer" in shows.page.text_content("#error")
    assert shows.page.is_visible("#settings li")
    shows.become(race())
    shows.page.wait_for_selector("#error", state="hidden")
    shows.watched.complaints.clear()  # of the address that did not answer


def test_where_no_sweep_is_the_server_says_so(browser, server):
    watched = Watched()
    watched.page.goto(f"{server.url}sweep")
    watched.page.wait_for_selector("#error:not([hidden])")
    assert watched.page.text_content("#error").startswith("sweep: expected the name of one")
    assert watched.page.is_hidden("main")
    watched.close(server.url)


def test_a_setting_stands_out_everywhere_by_mouse_keyboard_and_tap(shown):
    page = shown(race()).page
    everywhere = ["alpha 0.1"] * 5  # in the list, a band, two lines, and the legend
    page.hover("#settings li:nth-child(2) button")
    assert page.eval_on_selector_all(".on", ON) == everywhere
    assert page.text_content(".picked") == "alpha 0.1: 4,700 [4,633, 4,767], 6 of 10 seeds"
    page.mouse.move(0, 0)
    assert page.eval_on_selector_all(".on", ON) == []
    page.focus("#settings li:nth-child(1) button")
    for _ in range(20):
        page.keyboard.press("Tab")
        if "alpha 0.1" in page.eval_on_selector_all(".on", ON):
            break
    assert page.eval_on_selector_all(".on", ON) == everywhere
    page.eval_on_selector("#keys g[data-setting='alpha 0.05'] .hit",
                          "e => e.dispatchEvent(new MouseEvent('click', { bubbles: true }))")  # fmt: skip
    assert page.evaluate("document.activeElement.closest('li').dataset.setting") == "alpha 0.05"


def test_a_click_on_a_job_watches_its_agent_and_a_link_leads_back(shown):
    page = shown(race()).page
    page.focus("#settings li:nth-child(1) button")
    page.keyboard.press("Enter")
    jobs = page.eval_on_selector_all("#settings .jobs:not([hidden]) li", "all => all.map(e => e.textContent)")
    assert jobs == [*(f"seed {seed}: {4800 + seed:,}" for seed in range(6)), "seed 6: running", "3 waiting"]
    assert page.get_attribute("#settings button", "aria-expanded") == "true"
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_selector("#board .tile")
    wait(page, "document.getElementById('who').textContent === 'agent: 2048 on 4x4'")
    until_moves(page, 3)  # it plays unasked
    page.reload()
    page.wait_for_selector("#board .tile")
    page.click("#back")
    page.wait_for_selector("#settings li")
    assert page.url.endswith("/sweep?sweep=.")


def test_what_was_interrupted_is_no_loser_and_what_has_no_checkpoint_says_so(shown):
    jobs = [job(0, "alpha1-seed0", 4000.0, "finished"), job(1, "alpha1-seed1", None, "interrupted")]
    page = shown(
        state_of([setting("alpha 1", {"alpha": 1}, 4000.0, 1, 2, "interrupted", jobs=jobs)], status="stopped")
    ).page
    assert page.text_content("#settings .why") == "interrupted"
    assert page.eval_on_selector_all(".out", ON) == []
    assert "The same command goes on." in page.text_content("#status")
    page.click("#settings button")
    texts = page.eval_on_selector_all("#settings .jobs li", "all => all.map(e => e.textContent)")
    assert texts[:2] == ["seed 0: 4,000", "seed 1: interrupted"]
    assert "save.final=true" in texts[2]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_width_without_scrolling_sideways_and_with_contrast(shown, width, scheme):
    page = shown(race(), width, color_scheme=scheme).page
    page.click("#settings button")
    check_looks(page)


def test_of_many_settings_the_best_are_shown_and_coloured(shown):
    page = shown(many(), 390).page
    assert page.eval_on_selector_all("#settings > li:not([hidden])", "all => all.length") == 12
    page.click("#all")
    assert page.text_content("#all") == "The best 12 only"
    assert page.eval_on_selector_all("#settings > li:not([hidden])", "all => all.length") == 50
    coloured = page.eval_on_selector_all("#settings > li", "all => all.map(e => e.dataset.colour)")
    assert sorted(coloured[:7]) == list("0123456")
    assert set(coloured[7:]) == {""}
    names = page.eval_on_selector_all("#keys text.name", "all => all.map(e => e.textContent)")
    assert names == ["alpha (logarithmic)", "lambda", "learner", "tuples", "mean score of 1,000 games"]
    labels = page.eval_on_selector_all("#keys text", "all => all.map(e => e.textContent)")
    assert {"0.01", "1", "0.5", "tc", "set4"} <= set(labels)  # round ones of many numbers, and all names
    assert page.eval_on_selector_all("#importance .number", "all => all.map(e => e.textContent)")[0] == "23%"
    check_looks(page)


def test_the_folder_of_a_sweep_begins_with_its_page_and_its_jobs_play(browser, tmp_path):
    """From the files of a real one: two settings of two seeds."""
    folder = tmp_path / "alpha"
    sweep(folder, "alpha=0.05,0.5", "seed=0,1", "episodes=60")
    with serving(Site(Library(folder), None, 8, 1.0, ".")) as server:
        watched = Watched()
        page = watched.page
        page.goto(server.url)
        page.wait_for_selector("#settings li")
        assert page.text_content("#who") == "Sweep alpha"
        assert {row[0] for row in page.eval_on_selector_all("#settings > li", ROWS)} == {"alpha 0.05", "alpha 0.5"}
        assert page.is_visible("#curves .line")
        page.click("#settings button")
        page.click("#settings .jobs a")
        until_moves(page, 3)
        page.click("summary:has-text('1 sweep')")
        page.click(".folded a:has-text('this folder')")
        page.wait_for_selector("#settings li")
        watched.close(server.url)


def test_a_sweep_that_has_just_begun_has_no_charts(shown):
    settings = [setting(f"alpha {alpha}", {"alpha": alpha}, None, 0, state="waiting") for alpha in ALPHAS]
    page = shown(state_of(settings)).page
    assert page.text_content("#answer") == "No score yet: the first job is not over."
    assert page.is_hidden("#curves-part")
    assert page.is_hidden("#keys-part")
    assert page.text_content("#settings .why") == "waits"
    check_looks(page)
