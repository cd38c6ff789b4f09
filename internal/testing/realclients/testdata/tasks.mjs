// Lets a TypeScript SDK call a tool as a task, answers what the task asks, and prints what
// it saw as one JSON object: node tasks.mjs URL | COMMAND [ARG...]
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import { CallToolResultSchema, ElicitRequestSchema } from "@modelcontextprotocol/sdk/types.js";

const [target, ...args] = process.argv.slice(2);
const transport = target.startsWith("http") ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target, args, env: process.env });
const client = new Client({ name: "tasks-test", version: "1" }, { capabilities: { elicitation: { form: {} } } });
const seen = { asked: "", first: "", last: "", text: "", cancelled: "" };
client.setRequestHandler(ElicitRequestSchema, async (r) => {
	seen.asked = r.params.message;
	return { action: "accept", content: { answer: "blue" } };
});
await client.connect(transport);
await client.listTools(); // this SDK learns from it which tools take tasks
const called = (steps) => client.experimental.tasks.callToolStream({ name: "execute_sequence", arguments: { steps, output: steps.length > 1 ? "steps.q.result.answer" : "1" } }, CallToolResultSchema, { task: { ttl: 60000 } });

const question = { tool_name: "ask_user", id: "q", arguments: { question: "Which colour?" } };
for await (const m of called([question, { tool_name: "delay", arguments: { duration: "10ms" } }])) {
	seen.first ||= m.type;
	seen.last = m.type;
	if (m.type === "result") seen.text = m.result.content[0].text;
	if (m.type === "error") seen.text = m.error.message;
}
for await (const m of called([{ tool_name: "delay", arguments: { duration: "10m" } }])) {
	if (m.type !== "taskCreated") break;
	seen.cancelled = (await client.experimental.tasks.cancelTask(m.task.taskId)).status;
	break;
}
await client.close();
console.log(JSON.stringify(seen));
