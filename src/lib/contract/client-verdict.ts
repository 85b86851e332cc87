/** The programs and model APIs with known rules; programs have the ids of `CONNECT_CLIENTS` where they are in it. */
export const CHECKED_CLIENTS = [
  "claude-code",
  "claude-desktop",
  "chatgpt",
  "cursor",
  "vscode",
  "gemini",
  "codex",
  "opencode",
  "goose",
  "zed",
  "windsurf",
  "lmstudio",
  "anthropic-api",
  "openai-api",
  "openai-strict",
  "gemini-api",
  "ollama-api",
] as const;
export type CheckedClient = (typeof CHECKED_CLIENTS)[number];

/**
 * The strongest first. `refused`: the tool cannot be used, since the client leaves it out or its model API refuses the request.
 * `dropped`: a part of the definition does not reach the model. `cut`: a name or text is shortened or rewritten.
 */
export const CLIENT_SEVERITIES = ["refused", "dropped", "cut", "warns"] as const;
export type ClientSeverity = (typeof CLIENT_SEVERITIES)[number];

export const FIT_VERDICTS = ["works", "works_with_changes", "does_not_work", "cannot_tell"] as const;
export type FitVerdict = (typeof FIT_VERDICTS)[number];

export const FIT_LABELS: Readonly<Record<FitVerdict, string>> = {
  works: "Works",
  works_with_changes: "Works with changes",
  does_not_work: "Does not work",
  cannot_tell: "Cannot tell",
};

/** The parts that a remedy changes: a name or description in a toolset, its selection, a schema, Toolroom's address or access, a server's settings, a skill. */
export const REMEDY_KINDS = [
  "rename",
  "describe",
  "select",
  "schema",
  "lens",
  "connect",
  "access",
  "server",
  "skill",
] as const;
export type RemedyKind = (typeof REMEDY_KINDS)[number];

/** Whether a severity is as strong as another one, or stronger. */
export const reachesClientSeverity = (severity: ClientSeverity, least: ClientSeverity): boolean =>
  CLIENT_SEVERITIES.indexOf(severity) <= CLIENT_SEVERITIES.indexOf(least);
