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

const OWN_VERDICTS = ["listed", "fetch", "client", "unknown"] as const;
type OwnVerdict = (typeof OWN_VERDICTS)[number];

const isOwn = (verdict: ToolAnswer["verdict"]): verdict is OwnVerdict => OWN_VERDICTS.some((each) => each === verdict);

const VERDICTS: Readonly<Record<OwnVerdict, readonly [label: string, tone: BadgeTone]>> = {
  listed: ["listed", "ok"],
  fetch: ["not fetched", "warn"],
  client: ["refused by client", "bad"],
  unknown: ["no such tool", "bad"],
};

export function describeVerdict(verdict: ToolAnswer["verdict"]): readonly [label: string, tone: BadgeTone] {
  return isOwn(verdict) ? VERDICTS[verdict] : [REASON_LABELS[verdict], "warn"];
}
