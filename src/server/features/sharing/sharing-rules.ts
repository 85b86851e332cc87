import { type MethodRules, READS } from "../../platform/shared/method-rules";
import type { createSharingService } from "./sharing-service";

/**
 * Each entry of an import is judged by itself: servers that start a command need more. A file and its settings may hold
 * secrets: only names are recorded.
 */
export const SHARING_RULES: MethodRules<ReturnType<typeof createSharingService>> = {
  export: {
    permission: "read",
    target: ([{ format }]) => ({ kind: "catalog", name: format }),
    after: (_, { text: _text, notes: _notes, fileName: _fileName, ...counts }) => counts,
  },
  preview: { permission: "read", ...READS },
  import: {
    permission: "edit",
    target: () => ({ kind: "catalog", name: "import" }),
    after: (_, outcome) => outcome,
    also: (_, { imported }) =>
      imported.flatMap(({ name, approval }) =>
        approval === undefined
          ? []
          : [
              {
                action: "tools.setApproval",
                target: { kind: "tool", name },
                before: { approval: { mode: approval.from } },
                after: { approval: { mode: approval.to } },
              },
            ],
      ),
  },
};
