/** How far each session was read in this browser, as whom, and which mentions were not seen yet. */

const PLACE = "parley-read";
const MOST = 200; // sessions that are remembered, the newest

/** `{n, name, mentions}` of a session that was read here; else null. */
export const reading = (session) => all()[session] ?? null;

/** Note it anew. */
export function noteReading(session, row) {
  const { [session]: before, ...others } = all();
  const rows = Object.entries({ ...others, [session]: { ...before, ...row } }).slice(-MOST);
  try {
    localStorage.setItem(PLACE, JSON.stringify(Object.fromEntries(rows)));
  } catch {
    // a browser that keeps nothing: all is new when it comes again
  }
}

function all() {
  try {
    return JSON.parse(localStorage.getItem(PLACE)) ?? {};
  } catch {
    return {};
  }
}

const plain = (text) => text.replace(/[.*+?^${}()|[\]\\]/gu, "\\$&");

/** Whether a message calls `name`: sent to them, `@name`, or `name:` at the beginning of a line. */
export function calls({ content, to, participant }, name) {
  if (participant === name) return false;
  if (to?.includes(name)) return true;
  return new RegExp(`(?:(?<![\\p{L}\\p{N}_@])@${plain(name)}(?![\\p{L}\\p{N}_])|^${plain(name)}[:,] )`, "imu").test(content ?? "");
}
