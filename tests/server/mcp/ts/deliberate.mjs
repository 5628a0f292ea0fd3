// Two clients of the official TypeScript SDK, of either major version, come to a ratified decision.
// Usage: node deliberate.mjs 1|2 http URL TOKEN TOKEN | 1|2 stdio COMMAND [ARGUMENT…]
const [version, kind, ...rest] = process.argv.slice(2);
const parts = {
  1: ['sdk/client/index.js', 'sdk/client/streamableHttp.js', 'sdk/client/stdio.js'],
  2: ['client', 'client/stdio'],
}[version];
const found = await Promise.all(parts.map((part) => import(`@modelcontextprotocol/${part}`)));
const { Client, StreamableHTTPClientTransport, StdioClientTransport } = Object.assign({}, ...found);
const session = 'harbour';

function transport(name, token) {
  if (kind === 'http') {
    const headers = { Authorization: `Bearer ${token}` };
    return new StreamableHTTPClientTransport(new URL(rest[0]), { requestInit: { headers } });
  }
  const [command, ...args] = rest;
  return new StdioClientTransport({
    command, args: [...args, 'mcp', '--as', name], env: process.env, stderr: 'inherit',
  });
}

async function connected(name, token) {
  const client = new Client({ name, version: '1' });
  await client.connect(transport(name, token));
  return {
    close: () => client.close(),
    tools: async () => (await client.listTools()).tools.map((tool) => tool.name),
    does: async (tool, given = {}) => {
      const found = await client.callTool({ name: tool, arguments: { session, ...given } });
      if (found.isError) throw new Error(`${tool}: ${found.content[0].text}`);
      return found.structuredContent;
    },
  };
}

const [ana, bo] = await Promise.all([connected('ana', rest[1]), connected('bo', rest[2])]);
await ana.does('join_session');
const { after } = await bo.does('join_session');
const waits = bo.does('wait_for_messages', { after, timeout: 25 });
await ana.does('propose', { content: 'Build a light at the end of the pier.' });
const heard = await waits;
await bo.does('support', { ref: 'P1', why: 'Ships ground there.' });
await ana.does('decide', { content: 'We build the light.', re: 'P1' });
await bo.does('ratify', { ref: 'D1' });
const memory = await bo.does('read_memory', { part: 'decisions' });
const tools = await ana.tools();
await Promise.all([ana.close(), bo.close()]);
console.log(JSON.stringify({
  tools: tools.length,
  heard: heard.messages.map((message) => message.content),
  decisions: memory.decisions.map((decision) => [decision.ref, decision.status]),
}));
