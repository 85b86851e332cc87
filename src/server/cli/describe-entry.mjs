const WORDS = { add: "add", change: "replace", same: "no change", conflict: "CONFLICT", invalid: "INVALID" };

/**
 * Describes what an import would do with an entry of the file, in lines.
 * @param {import("../../lib/contract/catalog-file").ImportEntry} entry
 * @param {(text: string) => string} toLine makes a text of the file fit for the reader
 */
export function describeEntry({ kind, name, status, details, problems, conflict, denied, notes, secrets }, toLine) {
  const reasons = [
    ...details,
    ...problems.map(({ path: at, message }) => `${at} ${message}`),
    ...[conflict, denied].flatMap((reason) => reason ?? []),
    ...notes,
    ...(secrets.length === 0 ? [] : [`enter ${secrets.join(", ")} afterwards`]),
  ];
  return [
    `${WORDS[status].padEnd(10)} ${kind} ${toLine(name)}`,
    ...reasons.map((reason) => `           ${toLine(reason)}`),
  ];
}
