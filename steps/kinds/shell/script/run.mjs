// Runs one script: reads it with its values from the first line of the standard input,
// and prints what it returned behind a mark that only the caller knows. A call of the
// desktop is printed behind the mark too; its answer is the next line of the input.
import * as module from "node:module";
import { createInterface } from "node:readline";

const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
const given = JSON.parse((await lines.next()).value);
process.stdin.unref?.();

const say = (what, value) =>
  new Promise((done) => process.stdout.write(`${given.mark}${what} ${JSON.stringify(value) ?? "null"}\n`, done));

let last = Promise.resolve();
let waiting = 0;
function call(kind, args = {}) {
  const answer = last.then(async () => {
    if (waiting++ === 0) process.stdin.ref?.();
    await say("calls", { kind, args });
    const { value } = await lines.next();
    if (--waiting === 0) process.stdin.unref?.();
    const { result, error } = JSON.parse(value);
    if (error) throw Object.assign(new Error(error.message), { code: error.code });
    return result;
  });
  last = answer.catch(() => {});
  return answer;
}

// Options may be spelt as in libraries for JavaScript: clearBeforeTyping.
const plain = (options) =>
  Object.fromEntries(Object.entries(options ?? {}).map(([name, value]) => [name.replace(/[A-Z]/g, (c) => "_" + c.toLowerCase()), value]));
// How long to wait may stand alone.
const within = (timeout) => (typeof timeout === "number" ? { timeout_ms: Math.max(1, timeout) } : timeout);

function locator(selector) {
  const on = (kind, more) => call(kind, { selector, ...plain(more) });
  const found = async (options) => (await on("wait_for_element", options)).element;
  const seen = () => on("validate_element");
  const self = {
    selector,
    locator: (inner) => locator(`${selector} >> ${inner}`),
    nth: (n) => locator(`${selector} >> nth:${n}`),
    first: async (timeout) => self.nth(0).waitFor("exists", timeout),
    all: async () => Array.from({ length: (await seen()).matches }, (_, n) => self.nth(n)),
    waitFor: async (condition = "exists", options) => (await on("wait_for_element", { condition, ...within(options) }), self),
    validate: (options) => on("validate_element", within(options)),
    click: (options) => on("click_element", options),
    doubleClick: (options) => on("click_element", { count: 2, ...options }),
    rightClick: (options) => on("click_element", { button: "right", ...options }),
    hover: (options) => on("hover_element", options),
    focus: (options) => on("activate_element", options),
    invoke: (options) => on("invoke_element", options),
    typeText: (text, options) => on("type_into_element", { text_to_type: text, ...options }),
    type: (text, options) => self.typeText(text, options),
    setToggled: (state, options) => on("set_selected", { state, ...options }),
    setSelected: (state, options) => self.setToggled(state, options),
    selectOption: (option_name, options) => on("select_option", { option_name, ...options }),
    setValue: (value, options) => on("set_value", { value, ...options }),
    pressKey: (key, options) => on("press_key", { key, ...options }),
    scroll: (direction, amount = 3) => on("scroll_element", { direction, amount }),
    text: async (options) => ((e) => e.text || e.name || "")(await found(options)),
    name: async (options) => (await found(options)).name ?? "",
    exists: async () => (await seen()).exists,
    isVisible: async () => (await seen()).visible,
    isEnabled: async () => (await seen()).enabled,
    enabled: () => self.isEnabled(),
    isFocused: async () => (await seen()).focused,
    isChecked: async () => (await seen()).checked,
    isToggled: () => self.isChecked(),
    isSelected: () => self.isChecked(),
    bounds: async (options) => (await found(options)).bounds,
  };
  return self;
}

const sleep = (ms) => new Promise((done) => setTimeout(done, ms));
const desktop = {
  call,
  locator,
  openApplication: (app_name, options) => call("open_application", { app_name, ...plain(options) }),
  openUrl: (url, options) => call("open_url", { url, ...plain(options) }),
  pressKey: (key, options) => call("press_key_global", { key, ...plain(options) }),
  screenshot: (options) => call("capture_screenshot", plain(options)),
  applications: () => call("get_applications_and_windows_list"),
  delay: sleep,
};

// What other programs have for scripts and this one does not.
const refuse = (name, instead) => new Proxy({}, { get: () => { throw new Error(`there is no ${name} here: ${instead}`); } });
const kv = refuse("kv", "keep values of the run by setEnv, and those of several runs in a file");
const emit = new Proxy({}, { get: (_, what) => (...words) => console.log(what, ...words) });

const set = {};
const values = {
  desktop,
  sleep,
  log: (...words) => console.log(...words),
  setEnv: (more) => (Object.assign(set, more), Object.assign(given.env, more)),
  variables: given.inputs,
  kv,
  emit,
  createStepEmitter: () => emit,
};
for (const [name, value] of Object.entries(given.names)) {
  if (canBeParameter(name)) values[name] = withFirst(name, value);
}
Object.assign(values, {
  env: given.env,
  inputs: given.inputs,
  require: module.createRequire(given.dir + "/script.js"),
  _accumulated_env: given.env,
  _workflow_variables: given.inputs,
});
// The parameters are those of an outer function, so that the script may declare the names.
const parameters = Object.keys(values).join(", ");
let code = `function given(${parameters}) { return (async function script() {\n${given.code}\n})(); }`;
if (given.typed) code = module.stripTypeScriptTypes(code);
const result = await new Function(`${code}\nreturn given;`)()(...Object.values(values));
await say("returned", { result, set });
process.exit();

// Other programs have the result of a step as a list of one: a_result[0].x.
function withFirst(name, value) {
  if (!name.endsWith("_result") || value?.constructor !== Object) return value;
  return Object.defineProperty(value, 0, { value, configurable: true });
}

function canBeParameter(name) {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return false;
  try {
    return !!new Function(`async function script(${name}) {}`);
  } catch {
    return false; // a word of the language
  }
}
