import type { RetentionPolicy, RetentionRule, RetentionScope } from "@/lib/contract/retention";

const MIB = 1_048_576;

/** A rule as a user edits it. */
export interface RuleRow {
  scope: RetentionScope;
  name: string;
  days: string;
  count: string;
  size: string;
  /** The bytes that `size` showed when it was read: a size set by a program need not be a whole number. */
  read: { size: string; bytes: number } | null;
}

export const NEW_RULE: RuleRow = { scope: "other", name: "", days: "90", count: "", size: "", read: null };

export function toRows({ rules }: RetentionPolicy): RuleRow[] {
  return rules.map(({ scope, name = "", maxAgeDays, maxCount, maxBytes }) => {
    const size = maxBytes === undefined ? "" : String(Number((maxBytes / MIB).toFixed(3)));
    return {
      scope,
      name,
      days: maxAgeDays?.toString() ?? "",
      count: maxCount?.toString() ?? "",
      size,
      read: maxBytes === undefined ? null : { size, bytes: maxBytes },
    };
  });
}

/** @returns the policy, or what is wrong with each row */
export function toPolicy(rows: readonly RuleRow[]): { policy: RetentionPolicy } | { problems: string[][] } {
  const problems: string[][] = rows.map(() => []);
  const rules = rows.map((row, at): RetentionRule => {
    const note = (problem: string) => problems[at]?.push(problem);
    const readNumber = (text: string, label: string, isWhole: boolean): number | undefined => {
      if (text.trim() === "") return undefined;
      const value = Number(text.trim());
      if (Number.isFinite(value) && value > 0 && (!isWhole || Number.isInteger(value))) return value;
      note(`${label} must be ${isWhole ? "an integer" : "a number"} greater than 0, or empty`);
      return undefined;
    };
    const name = row.name.trim();
    const needsName = row.scope !== "other" && row.scope !== "runs";
    if (needsName && name === "") note(`Name the ${row.scope} that the rule is about`);
    const same = rows.findIndex((other) => other.scope === row.scope && other.name.trim() === name);
    if (same !== at) note(`Rule ${same + 1} is about the same calls: merge the two`);
    const maxAgeDays = readNumber(row.days, "Days", true);
    const maxCount = readNumber(row.count, "Count", true);
    const mebibytes = readNumber(row.size, "Size", false);
    const bytes = row.read?.size === row.size ? row.read.bytes : Math.max(1, Math.round((mebibytes ?? 0) * MIB));
    return {
      scope: row.scope,
      ...(name === "" || row.scope === "other" ? {} : { name }),
      ...(maxAgeDays === undefined ? {} : { maxAgeDays }),
      ...(maxCount === undefined ? {} : { maxCount }),
      ...(mebibytes === undefined ? {} : { maxBytes: bytes }),
    };
  });
  return problems.some((each) => each.length > 0) ? { problems } : { policy: { rules } };
}

export const SCOPE_LABELS: Record<RetentionScope, string> = {
  tool: "Tool",
  server: "Server",
  source: "Source",
  other: "All other calls",
  runs: "Runs",
};

/** The label of a scope: `Tool echo`, `Runs`. */
export function describeScope({ scope, name }: RetentionRule): string {
  return name === undefined ? SCOPE_LABELS[scope] : `${SCOPE_LABELS[scope]} ${name}`;
}
