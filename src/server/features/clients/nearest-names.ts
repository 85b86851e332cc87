const MOST = 5;
const LEAST_LIKENESS = 0.34;

/** Names like the one asked for, the most similar first: by the pairs of letters that they share. */
export function findNearestNames(asked: string, names: Iterable<string>): string[] {
  const wanted = toPairs(asked);
  const found: { name: string; likeness: number }[] = [];
  for (const name of names) {
    // Compares the part after a server's name, and the whole name: users leave the prefix out.
    const own = name.slice(name.lastIndexOf("__") + 2);
    const likeness = Math.max(compare(wanted, toPairs(name)), name.includes("__") ? compare(wanted, toPairs(own)) : 0);
    if (likeness >= LEAST_LIKENESS) found.push({ name, likeness });
  }
  found.sort((left, right) => right.likeness - left.likeness || (left.name < right.name ? -1 : 1));
  return found.slice(0, MOST).map(({ name }) => name);
}

function toPairs(text: string): Set<string> {
  const letters = ` ${text
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim()} `;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}

function compare(left: ReadonlySet<string>, right: ReadonlySet<string>): number {
  let shared = 0;
  for (const pair of left) if (right.has(pair)) shared += 1;
  return (2 * shared) / (left.size + right.size);
}
