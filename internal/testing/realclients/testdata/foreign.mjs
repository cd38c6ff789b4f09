// Lets a TypeScript SDK use a server of others, and prints what a tool says:
// node foreign.mjs TOOL ARGUMENTS COMMAND [ARG...]
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [tool, args, command, ...rest] = process.argv.slice(2);
const client = new Client({ name: "foreign-test", version: "1" });
await client.connect(new StdioClientTransport({ command, args: rest, env: process.env }));
await client.listTools();
const has = client.getServerCapabilities();
if (has.prompts) await client.listPrompts();
if (has.resources) await client.listResources();
const result = await client.callTool({ name: tool, arguments: JSON.parse(args) });
await client.close();
console.log(result.content[0].text);
