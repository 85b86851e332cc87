import type { RunDifferences } from "../../../lib/contract/run";
import type { CommandPart } from "../../platform/api/operation-command";

const VERDICTS: Record<RunDifferences["verdict"], string> = {
  same: "The runs are the same",
  texts: "The calls are the same",
  calls: "Calls differ",
};
const SHOWN_CHARS = 60;

export function describeDifferences({ verdict, same, items }: RunDifferences): CommandPart[] {
  const rows = items.map((item) => {
    const toText = (side: typeof item.before): string =>
      ((item.changed === "result" ? side?.result : side?.text) ?? "").replace(/\s+/g, " ").slice(0, SHOWN_CHARS);
    return [
      `${item.before?.step ?? "–"} → ${item.after?.step ?? "–"}`,
      `${item.kind} ${item.changed ?? ""}`,
      item.tool ?? item.part,
      toText(item.before),
      toText(item.after),
    ];
  });
  const table = rows.length === 0 ? [] : [{ head: ["STEPS", "CHANGE", "PART", "FIRST", "SECOND"], rows }];
  return [...table, { lines: [`${VERDICTS[verdict]}: ${items.length} differ, ${same} equal.`] }];
}

/** Why the runs do not count as equal; null where they do. */
export function explainDifference({ before, after, verdict }: RunDifferences): string | null {
  const open = [before, after].find(({ status }) => status !== "succeeded");
  if (open !== undefined) return `${open.id} is ${open.status}.`;
  return verdict === "calls" ? "" : null;
}
