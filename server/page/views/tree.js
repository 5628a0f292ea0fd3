/** Summaries as a tree: the highest that stand on top, what they cover beneath. Pure. */

/**
 * Nodes in the order of the talk: `{summary, children}`, and `{first, last}` where a stretch
 * has no summary of its own.
 */
export function tree(summaries, newest) {
  const rows = [...(summaries ?? [])].sort((one, other) => one.first - other.first || other.level - one.level);
  const top = [];
  const open = [];
  for (const summary of rows) {
    const node = { summary, children: [] };
    while (open.length && !covers(open.at(-1).summary, summary)) open.pop();
    (open.length ? open.at(-1).children : top).push(node);
    open.push(node);
  }
  return gaps(top, 1, newest);
}

/** What a node holds: its children, with the stretches that none of them covers. */
export const inside = ({ summary, children }) => (children.length ? gaps(children, summary.first, summary.last) : []);

const covers = (one, other) => one.level > other.level && one.first <= other.first && other.last <= one.last;

function gaps(nodes, first, last) {
  const found = [];
  let next = first;
  for (const node of nodes) {
    if (node.summary.first > next) found.push({ first: next, last: node.summary.first - 1 });
    found.push(node);
    next = Math.max(next, node.summary.last + 1);
  }
  if (next <= last) found.push({ first: next, last });
  return found;
}
