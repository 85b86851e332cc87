import type { BadgeTone } from "@/app/_ui/badge";
import type { LeftOutReason, ToolAnswer } from "@/lib/contract/client";

export const REASON_LABELS: Readonly<Record<LeftOutReason, string>> = {
  disabled: "disabled",
  held: "waits for approval",
  unusable: "unusable",
  not_connected: "not yet connected",
  limit: "limited",
  role: "role",
  credentials: "credentials missing",
};

const VERDICTS: Readonly<Record<"listed" | "fetch" | "unknown", readonly [label: string, tone: BadgeTone]>> = {
  listed: ["listed", "ok"],
  fetch: ["not fetched", "warn"],
  unknown: ["no such tool", "bad"],
};

export function describeVerdict(verdict: ToolAnswer["verdict"]): readonly [label: string, tone: BadgeTone] {
  if (verdict === "listed" || verdict === "fetch" || verdict === "unknown") return VERDICTS[verdict];
  return [REASON_LABELS[verdict], "warn"];
}
