// Lets a TypeScript SDK use a server, and prints what it saw as one JSON object.
// node sdk.mjs v1|legacy|modern URL | COMMAND [ARG...]
// v1 is @modelcontextprotocol/sdk; the others are @modelcontextprotocol/client,
// held to one era of the protocol.

const [era, target, ...args] = process.argv.slice(2)
const name = 'sdk-test'
const capabilities = { elicitation: { form: {} } }

// connect gives a client and functions over what the two SDKs call differently.
async function connect() {
  const http = target.startsWith('http')
  if (era === 'v1') {
    const { Client } = await import('@modelcontextprotocol/sdk/client/index.js')
    const types = await import('@modelcontextprotocol/sdk/types.js')
    const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js')
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/sdk/client/streamableHttp.js')
    const client = new Client({ name, version: '1' }, { capabilities })
    const transport = http ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target, args, env: process.env })
    await client.connect(transport)
    return {
      client,
      version: () => transport.protocolVersion ?? transport._protocolVersion,
      call: (params, options) => client.callTool(params, undefined, options),
      onElicit: (f) => client.setRequestHandler(types.ElicitRequestSchema, f),
      onUpdated: (f) => client.setNotificationHandler(types.ResourceUpdatedNotificationSchema, f),
      subscribe: async (uri) => { await client.subscribeResource({ uri }); return () => client.unsubscribeResource({ uri }) },
    }
  }
  const { Client, StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client')
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio')
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy'
  const client = new Client({ name, version: '1' }, { capabilities, versionNegotiation: { mode } })
  const transport = http ? new StreamableHTTPClientTransport(new URL(target)) : new StdioClientTransport({ command: target, args, env: process.env })
  await client.connect(transport)
  return {
    client,
    version: () => client.getNegotiatedProtocolVersion(),
    call: (params, options) => client.callTool(params, options),
    onElicit: (f) => client.setRequestHandler('elicitation/create', f),
    onUpdated: (f) => client.setNotificationHandler('notifications/resources/updated', f),
    subscribe: async (uri) => {
      if (era === 'modern') {
        const listening = await client.listen({ resourceSubscriptions: [uri] })
        return () => listening.close()
      }
      await client.subscribeResource({ uri })
      return () => client.unsubscribeResource({ uri })
    },
  }
}

const delays = (n, duration) => Array.from({ length: n }, () => ({ tool_name: 'delay', arguments: { duration } }))
const sequence = (document) => ({ name: 'execute_sequence', arguments: document })
const patience = { timeout: 60_000, resetTimeoutOnProgress: true }

// until waits for a condition, and gives up in the end.
async function until(what, condition) {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    const value = await condition()
    if (value) return value
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
  throw new Error(`${what}: not within a minute`)
}

const c = await connect()
const seen = { protocol: c.version(), server: c.client.getServerVersion().name }

const { tools } = await c.client.listTools()
seen.tools = tools.length
seen.execute = tools.some((t) => t.name === 'execute_sequence')

// Three questions: a missing input, and two on the way.
seen.questions = 0
c.onElicit(async (request) => {
  seen.questions++
  const message = request.params.message
  if (message.includes('inputs')) return { action: 'accept', content: { who: 'you' } }
  return { action: 'accept', content: { answer: message.includes('colour') ? 'blue' : 'large' } }
})
const asked = await c.call(sequence({
  variables: { who: { type: 'string', description: 'whom to greet' } },
  steps: [
    { tool_name: 'ask_user', id: 'colour', arguments: { question: 'Which colour?', choices: ['red', 'blue'] } },
    { tool_name: 'ask_user', id: 'size', arguments: { question: 'Which size?' } },
  ],
  output: 'inputs.who + " " + steps.colour.result.answer + " " + steps.size.result.answer',
}), patience)
seen.answers = asked.structuredContent?.output ?? asked

// Progress grows, and says of how much.
const told = []
await c.call(sequence({ steps: delays(3, '200ms') }), { ...patience, onprogress: (p) => told.push(p) })
seen.progress = told.length > 0 && told.every((p, i) => p.total === 3 && (i === 0 || p.progress >= told[i - 1].progress))
if (!seen.progress) seen.told = told

// A subscription tells of a run that others start, and of the end of a call.
const uri = 'understudy://runs'
let updates = 0
c.onUpdated((n) => { if (n.params.uri === uri) updates++ })
const unsubscribe = await c.subscribe(uri)
await c.call(sequence({ steps: delays(1, '1ms') }), patience)
await until('an update of ' + uri, () => updates > 0)
await unsubscribe()
seen.updated = true

const list = await c.client.readResource({ uri })
seen.read = JSON.parse(list.contents[0].text) !== null

// A call that is given up is a run that is cancelled.
const stop = new AbortController()
const marker = 'given-up-' + Date.now()
const call = c.call(sequence({ name: marker, steps: [{ tool_name: 'log', arguments: { message: 'begun' } }, ...delays(1, '10m')] }), {
  ...patience, signal: stop.signal, onprogress: () => stop.abort('enough'),
})
seen.refused = await call.then(() => 'answered', () => 'aborted')
const runs = async () => (await c.call({ name: 'list_runs', arguments: {} })).structuredContent.runs
const ended = await until('the end of the run', async () => (await runs()).find((r) => r.workflow === marker && !['running', 'queued'].includes(r.status)))
seen.cancelled = ended.status

// What is wrong is a result that says so, and the session goes on.
const wrong = await c.call({ name: 'delay', arguments: { duration: 'soon' } })
seen.error = wrong.isError === true
seen.after = (await c.client.listTools()).tools.length === seen.tools

console.log(JSON.stringify(seen))
await c.client.close()
