"""A real browser for tests: Chromium, headless, driven by Selenium: :func:`browser`."""

import json
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver
from selenium.webdriver import ActionChains
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.ui import WebDriverWait

from tests.helpers import ROOT

OUTPUT = ROOT / "build" / "browser"
"""Where screenshots are kept; git ignores it."""
AXE = OUTPUT / "axe.min.js"
"""The accessibility checker, fetched by ``make test-browser``."""

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--blink-settings=primaryHoverType=2,availableHoverTypes=2",  # a mouse is there, on machines without one, too
)
PATIENCE = 60.0
"""Seconds to wait for what must come."""

SEEN = """
const [element] = arguments, box = element.getBoundingClientRect(), sixths = [3, 2, 1, 4, 5];
const points = sixths.flatMap((y) => sixths.map((x) => [box.left + box.width * x / 6, box.top + box.height * y / 6]));
const isSeen = ([x, y]) => element.contains(document.elementFromPoint(x, y));
return points.map((point) => point.map(Math.round)).find(isSeen);
"""
"""A point at which an element is uppermost, its middle if that is one."""
FINISH = "document.getAnimations().forEach((animation) => animation.finish())"
IS_UNDER_MOUSE = "return arguments[0].matches(':hover')"


@contextmanager
def browser(profile: Path, width: int, height: int) -> Iterator["Page"]:
    """A fresh browser with a window of the given size."""
    options = webdriver.ChromeOptions()
    options.binary_location = str(shutil.which("chromium"))
    for flag in (*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(str(shutil.which("chromedriver"))))
    size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    try:
        yield Page(driver)
    finally:
        driver.quit()


class Page:
    """What a person does with the pages and sees of them.

    Args:
        driver: the browser.
    """

    def __init__(self, driver: webdriver.Chrome) -> None:
        self.driver = driver

    def script(self, text: str, *arguments: object) -> object:
        """Run a function's body in the page; its value."""
        return self.driver.execute_script(text, *arguments)

    def find(self, selector: str):
        """The first element of a CSS selector."""
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def find_all(self, selector: str) -> list:
        """The elements of a CSS selector."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def shown(self, selector: str) -> list[str]:
        """Texts of the visible elements of a CSS selector, in the order of the page."""
        found = self.script(
            "return [...document.querySelectorAll(arguments[0])].filter((e) => e.checkVisibility())"
            ".map((e) => e.innerText || e.value || '')",
            selector,
        )
        assert isinstance(found, list)
        return found

    def wait(self, condition, what: str) -> None:
        """Until a condition holds."""
        WebDriverWait(self.driver, PATIENCE, 0.05, ignored_exceptions=(Exception,)).until(lambda _: condition(), what)

    def click(self, selector: str) -> None:
        """Click where a person would: on what lies uppermost in the middle of the element, once it is there."""

        def clicked() -> bool:
            self.find(selector).click()
            return True

        self.wait(clicked, f"{selector} cannot be clicked")

    def click_card(self, selector: str) -> None:
        """Click a card of the hand where it is seen: where cards lie close together, others cover its middle."""

        def clicked() -> bool:
            self.rest_mouse()
            card = self.find(selector)
            self._point_at(*self.script(SEEN, card))
            self.script(FINISH)  # a card that rises must not leave the mouse behind
            assert self.script(IS_UNDER_MOUSE, card)
            ActionChains(self.driver).click().perform()
            return True

        self.wait(clicked, f"{selector} cannot be clicked")

    def rest_mouse(self) -> None:
        """Move the mouse to a corner of the window: a card that it rests on covers its neighbours."""
        self._point_at(0, 0)

    def hover(self, selector: str) -> None:
        """Let an element look as under the mouse."""
        self.driver.execute_cdp_cmd("DOM.enable", {})
        self.driver.execute_cdp_cmd("CSS.enable", {})
        root = self.driver.execute_cdp_cmd("DOM.getDocument", {})["root"]["nodeId"]
        found = self.driver.execute_cdp_cmd("DOM.querySelector", {"nodeId": root, "selector": selector})
        self.driver.execute_cdp_cmd("CSS.forcePseudoState", {**found, "forcedPseudoClasses": ["hover"]})

    def _point_at(self, x: int, y: int) -> None:
        actions = ActionBuilder(self.driver)
        actions.pointer_action.move_to_location(x, y)
        actions.perform()

    def press(self, *keys: str) -> None:
        """Press keys, wherever the focus is."""
        ActionChains(self.driver).send_keys(*keys).perform()

    def picture(self, name: str) -> None:
        """Keep a screenshot."""
        OUTPUT.mkdir(parents=True, exist_ok=True)
        self.script(FINISH)
        self.driver.save_screenshot(str(OUTPUT / f"{name}.png"))

    def faults(self) -> list[str]:
        """Serious and critical faults that axe finds, with the elements."""
        self.driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1]; axe.run().then((r) => done(JSON.stringify(r.violations)))"
        )
        return [
            f"{fault['impact']} {fault['id']}: {[node['html'][:120] for node in fault['nodes']]}"
            for fault in json.loads(found)
            if fault["impact"] in ("serious", "critical")
        ]

    def errors(self) -> list[str]:
        """What the page complained of; failed connections are the server's tests' own doing."""
        return [
            entry["message"]
            for entry in self.driver.get_log("browser")
            if entry["level"] == "SEVERE" and "ERR_CONNECTION_REFUSED" not in entry["message"]
        ]

    def overflows(self) -> bool:
        """Whether the page is wider than the window."""
        return bool(self.script("return document.documentElement.scrollWidth > window.innerWidth + 1"))


ENTER, RIGHT, TAB, ESCAPE = Keys.ENTER, Keys.ARROW_RIGHT, Keys.TAB, Keys.ESCAPE
