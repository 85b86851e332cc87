import type { ServerDraft } from "./server-draft";

/** Labels of the form for fields whose names in words are others. */
export const FIELD_LABELS: Partial<Record<keyof ServerDraft, string>> = {
  ...{ args: "Arguments", env: "Environment", cwd: "Working directory", url: "Address", query: "Query parameters" },
  ...{ authType: "Sign-in", clientId: "Client ID", tokenUrl: "Token URL", timeoutMs: "Call timeout" },
  ...{ maxTotalTimeoutMs: "Limit with progress", connectTimeoutMs: "Connection timeout", approval: "Approval policy" },
  ...{ filterMode: "Offered tools", filterNames: "Tool names", sensitiveArguments: "Masked arguments" },
  ...{ sensitiveResults: "Masked results", askPeople: "People answer for programs", slots: "Each person enters" },
  ...{ documentFrom: "OpenAPI document", documentUrl: "Document address", documentText: "Document" },
  ...{ operationTags: "Tags", operationPaths: "Paths" },
};
