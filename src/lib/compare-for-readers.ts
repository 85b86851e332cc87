const collator = new Intl.Collator("en", { numeric: true });

/** The order of names in lists for users: `many2` before `many10`, in one language for all readers. */
export const compareForReaders = (left: string, right: string): number =>
  collator.compare(left, right) || Number(left > right) - Number(left < right);

/** The team's own first, then what belongs to a server, server by server. Equal ones stay in the order that they have. */
export function compareOwners(left: string | null, right: string | null): number {
  if (left === null || right === null) return Number(left !== null) - Number(right !== null);
  return compareForReaders(left, right);
}
