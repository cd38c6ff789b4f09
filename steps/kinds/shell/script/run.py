# Runs one script: reads it with its values from the first line of the standard input,
# and prints what it returned behind a mark that only the caller knows. A call of the
# desktop is printed behind the mark too; its answer is the next line of the input.
import ast
import asyncio
import inspect
import json
import os
import sys

channel = os.fdopen(os.dup(0), "rb")
nothing = os.open(os.devnull, os.O_RDONLY)
os.dup2(nothing, 0)  # the script must not read the answers
given = json.loads(channel.readline())


def say(what, value):
    sys.stdout.flush()
    sys.stdout.write(given["mark"] + what + " " + json.dumps(value) + "\n")
    sys.stdout.flush()


class Ready:
    """A value that may also be awaited."""

    def __init__(self, value):
        self.value = value

    def __await__(self):
        return self.value
        yield


awaits = False


def ready(value):
    return Ready(value) if awaits else value


def ask(kind, **args):
    say("calls", {"kind": kind, "args": {name: v for name, v in args.items() if v is not None}})
    answer = json.loads(channel.readline())
    if answer.get("error"):
        raise RuntimeError(answer["error"]["message"])
    return answer.get("result") or {}


class Locator:
    def __init__(self, selector):
        self.selector = selector

    def locator(self, inner):
        return Locator(self.selector + " >> " + inner)

    def _on(self, kind, **args):
        return ready(ask(kind, selector=self.selector, **args))

    def _found(self, **args):
        return ask("wait_for_element", selector=self.selector, **args)["element"]

    def _seen(self, field):
        return ready(ask("validate_element", selector=self.selector)[field])

    def nth(self, n):
        return Locator(f"{self.selector} >> nth:{n}")

    def first(self, timeout_ms=None):
        return self.nth(0).wait_for(timeout_ms=timeout_ms if timeout_ms is None else max(1, timeout_ms))

    def all(self):
        return ready([self.nth(n) for n in range(ask("validate_element", selector=self.selector)["matches"])])

    def wait_for(self, condition="exists", timeout_ms=None, **args):
        ask("wait_for_element", selector=self.selector, condition=condition, timeout_ms=timeout_ms, **args)
        return ready(self)

    def validate(self, timeout_ms=None, **args):
        return self._on("validate_element", timeout_ms=timeout_ms, **args)

    def click(self, **args):
        return self._on("click_element", **args)

    def double_click(self, **args):
        return self._on("click_element", count=2, **args)

    def right_click(self, **args):
        return self._on("click_element", button="right", **args)

    def hover(self, **args):
        return self._on("hover_element", **args)

    def focus(self, **args):
        return self._on("activate_element", **args)

    def invoke(self, **args):
        return self._on("invoke_element", **args)

    def type_text(self, text, **args):
        return self._on("type_into_element", text_to_type=text, **args)

    def select_option(self, option_name, **args):
        return self._on("select_option", option_name=option_name, **args)

    def set_value(self, value, **args):
        return self._on("set_value", value=value, **args)

    def press_key(self, key, **args):
        return self._on("press_key", key=key, **args)

    def scroll(self, direction, amount=3):
        return self._on("scroll_element", direction=direction, amount=amount)

    def text(self, **args):
        element = self._found(**args)
        return ready(element.get("text") or element.get("name") or "")

    def name(self, **args):
        return ready(self._found(**args).get("name") or "")

    def exists(self):
        return self._seen("exists")

    def is_visible(self):
        return self._seen("visible")

    def is_enabled(self):
        return self._seen("enabled")

    def is_focused(self):
        return self._seen("focused")

    def is_checked(self):
        return self._seen("checked")

    def bounds(self, **args):
        return ready(self._found(**args)["bounds"])

    def set_toggled(self, state, **args):
        return self._on("set_selected", state=state, **args)

    waitFor, typeText, setValue, pressKey = wait_for, type_text, set_value, press_key
    isVisible, isEnabled, isChecked = is_visible, is_enabled, is_checked
    doubleClick, rightClick, selectOption, isFocused = double_click, right_click, select_option, is_focused
    type, setToggled, enabled = type_text, set_toggled, is_enabled
    set_selected = setSelected = set_toggled
    is_toggled = isToggled = is_selected = isSelected = is_checked


class Desktop:
    def call(self, kind, args=None):
        return ready(ask(kind, **(args or {})))

    def locator(self, selector):
        return Locator(selector)

    def open_application(self, app_name, **args):
        return ready(ask("open_application", app_name=app_name, **args))

    def open_url(self, url, **args):
        return ready(ask("open_url", url=url, **args))

    def press_key(self, key, **args):
        return ready(ask("press_key_global", key=key, **args))

    def screenshot(self, **args):
        return ready(ask("capture_screenshot", **args))

    def applications(self):
        return ready(ask("get_applications_and_windows_list"))

    def delay(self, ms):
        return sleep(ms)

    openApplication, openUrl, pressKey = open_application, open_url, press_key


def sleep(ms):
    if awaits:
        return asyncio.sleep(ms / 1000)
    import time

    time.sleep(ms / 1000)


changed = {}


def set_env(values):
    changed.update(values)
    given["env"].update(values)


class Result(dict):
    """The result of a step, which other programs have as a list of one: a_result[0]["x"]."""

    def __missing__(self, key):
        if key == 0:
            return self
        raise KeyError(key)


def with_first(name, value):
    return Result(value) if name.endswith("_result") and isinstance(value, dict) else value


def compiled(tree, kind):
    wrapper = ast.parse(kind + " script():\n    pass")
    wrapper.body[0].body = tree.body or wrapper.body[0].body
    return compile(wrapper, given["file"], "exec")


sys.path.insert(0, given["dir"])
tree = ast.parse(given["code"], given["file"])
try:
    code = compiled(tree, "def")
except SyntaxError:  # it awaits, or else has the same error again
    awaits = True
    code = compiled(tree, "async def")

values = {"desktop": Desktop(), "log": print, "sleep": sleep, "setEnv": set_env, "set_env": set_env, "variables": given["inputs"]}
values.update((name, with_first(name, value)) for name, value in given["names"].items() if name.isidentifier())
values.update(
    env=given["env"],
    inputs=given["inputs"],
    _accumulated_env=given["env"],
    _workflow_variables=given["inputs"],
    __name__="__main__",
    __file__=given["file"],
)
exec(code, values)
result = values["script"]()
if inspect.isawaitable(result):

    async def awaited():
        return await result

    result = asyncio.run(awaited())
say("returned", {"result": result, "set": changed})
