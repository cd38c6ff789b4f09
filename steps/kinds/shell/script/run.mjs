// Runs one script: reads it with its values from the standard input, and
// prints what it returned behind a mark that only the caller knows.
import { readFileSync } from "node:fs";
import * as module from "node:module";

const given = JSON.parse(readFileSync(0, "utf8"));
const values = {
  env: given.env,
  inputs: given.inputs,
  require: module.createRequire(given.dir + "/script.js"),
  _accumulated_env: given.env,
  _workflow_variables: given.inputs,
};
for (const [name, value] of Object.entries(given.names)) {
  if (!(name in values) && canBeParameter(name)) values[name] = value;
}
let code = `async function script(${Object.keys(values).join(", ")}) {\n${given.code}\n}`;
if (given.typed) code = module.stripTypeScriptTypes(code);
const script = new Function(`${code}\nreturn script;`)();
const result = await script(...Object.values(values));
await new Promise((done) => process.stdout.write(given.mark + (JSON.stringify(result) ?? "null"), done));
process.exit();

function canBeParameter(name) {
  if (!/^[A-Za-z_$][\w$]*$/.test(name)) return false;
  try {
    return !!new Function(`async function script(${name}) {}`);
  } catch {
    return false; // a word of the language
  }
}
