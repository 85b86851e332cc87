/** The parts of a draft that are compared and chosen one by one. */
export interface DraftFields<Draft> {
  /** Returns the values by name, which are compared as JSON. */
  read: (draft: Draft) => Readonly<Record<string, unknown>>;
  /** The draft with one part of another draft. */
  take: (draft: Draft, field: string, from: Draft) => Draft;
  /** The form's label of each field whose label differs from its name. */
  labels?: Readonly<Record<string, string>>;
}

export type Pick = "mine" | "theirs";

/** Two edits of one object, and their common base; null where that is not known. */
interface TwoEdits<Draft> {
  mine: Draft;
  theirs: Draft;
  before: Draft | null;
}

/** Fields that only the other edit changed, and those that both changed. */
export function compareEdits<Draft>(
  { read }: DraftFields<Draft>,
  { mine, theirs, before }: TwoEdits<Draft>,
): { theirs: string[]; both: string[] } {
  const own = read(mine);
  const other = read(theirs);
  const former = before === null ? null : read(before);
  const isSame = (one: Readonly<Record<string, unknown>>, another: Readonly<Record<string, unknown>>, field: string) =>
    JSON.stringify(one[field]) === JSON.stringify(another[field]);
  const found = { theirs: [] as string[], both: [] as string[] };
  for (const field of new Set([...Object.keys(own), ...Object.keys(other)])) {
    if (isSame(own, other, field) || (former !== null && isSame(other, former, field))) continue;
    found[former !== null && isSame(own, former, field) ? "theirs" : "both"].push(field);
  }
  return found;
}

/** My draft with what only the other edit changed, and of what both changed the chosen side. */
export function mergeEdits<Draft>(
  fields: DraftFields<Draft>,
  edits: TwoEdits<Draft>,
  picks: Readonly<Record<string, Pick>>,
): Draft {
  const { theirs, both } = compareEdits(fields, edits);
  const taken = [...theirs, ...both.filter((field) => picks[field] === "theirs")];
  return taken.reduce((draft, field) => fields.take(draft, field, edits.theirs), edits.mine);
}

/** `clientSecret` as `Client secret`, or the form's label. */
export function formatField<Draft>({ labels = {} }: DraftFields<Draft>, field: string): string {
  const words = field.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return Object.hasOwn(labels, field) ? String(labels[field]) : words.charAt(0).toUpperCase() + words.slice(1);
}
