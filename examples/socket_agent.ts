// An agent in TypeScript over a WebSocket: it supports whatever is proposed, until the session closes.
//
//     node --experimental-strip-types examples/socket_agent.ts http://127.0.0.1:8000 harbour TOKEN
//
// Node 22 or newer runs it as it is; nothing is installed.

type Fact = { kind: string; ref: string | null; data: Record<string, unknown> };
type Entry = { kind: string; participant?: string; content?: string };
type Frame =
  | { type: "hello"; you: { name: string } }
  | { type: "entry"; seq: number; n: number; entry: Entry; facts: Fact[] }
  | { type: "nack"; problem: { detail: string } }
  | { type: "subscribed" | "ack" | "reset" | "dropped" | "expired" | "bye" };

const [url, session, token] = process.argv.slice(2);
if (!token) throw new Error("give the server's address, a session, and a token");
const here = `${url.replace(/\/$/, "")}/v1/sessions/${session}`;
const headers = { Authorization: `Bearer ${token}`, "Content-Type": "application/json" };

async function post(path: string, body: object): Promise<any> {
  const reply = await fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
  const row = await reply.json();
  if (!reply.ok) throw new Error(row.detail);
  return row;
}

const { seat } = await post(`${here}/seats`, { listens: "speaks", answer_seconds: 60 });
// No header can be sent with a WebSocket: a ticket, good once, stands for the token.
const { ticket } = await post(`${url}/v1/tickets`, {});
const socket = new WebSocket(`${here.replace(/^http/, "ws")}/ws?ticket=${ticket}`, ["parley.v1"]);
let published = 0;

function support(handle: string): void {
  const entries = [{ content: "I am for it.", act: "support", re: handle }];
  socket.send(JSON.stringify({ type: "publish", ref: String(++published), entries }));
}

socket.onopen = () => socket.send(JSON.stringify({ type: "subscribe", after: 0 }));
socket.onmessage = ({ data }: { data: string }) => {
  const frame: Frame = JSON.parse(data);
  if (frame.type === "nack") throw new Error(frame.problem.detail);
  if (frame.type !== "entry") return;
  if (frame.entry.kind === "session.closed") return socket.close();
  for (const fact of frame.facts)
    if (fact.kind === "proposal.made" && fact.data.participant !== seat) support(fact.ref!);
};
