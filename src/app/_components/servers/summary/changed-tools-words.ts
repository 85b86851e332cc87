import type { ChangedToolsPolicy } from "@/lib/contract/held-change";

export const CHANGED_TOOLS_LABELS: Record<ChangedToolsPolicy, string> = {
  off: "Use at once",
  auto: "Review breaking changes",
  review: "Review every change",
};

export const CHANGED_TOOLS_HINTS: Record<ChangedToolsPolicy, string> = {
  off: "A tool that the server changes is used as it is now.",
  auto: "A breaking change waits for approval and its calls are refused. Additive and wording changes are used at once.",
  review:
    "Every changed or new tool waits for approval and its calls are refused. The first list of a server is used as it is.",
};
