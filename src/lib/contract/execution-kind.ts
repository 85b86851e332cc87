/** The kind of an execution: a tool, or a read of a resource or prompt of an MCP server. */
export const EXECUTION_KINDS = ["tool", "resource", "prompt"] as const;
export type ExecutionKind = (typeof EXECUTION_KINDS)[number];
export type ContentKind = Exclude<ExecutionKind, "tool">;

export const CONTENT_METHODS = { resource: "resources/read", prompt: "prompts/get" } as const;
const CONTENT_NAME = / (?:resources\/read|prompts\/get)$/;
/** The beginning of the stored arguments, which may be cut behind the value. */
const FIRST_VALUE = /^\{"(?:uri|name)":("(?:[^"\\]|\\.)*"?)/;

/** The name under which reads of one server are recorded, for any URI: no tool can have it. */
export function contentName(kind: ContentKind, server: string): string {
  return `${server} ${CONTENT_METHODS[kind]}`;
}

export const isContentName = (toolName: string): boolean => CONTENT_NAME.test(toolName);

/** The kind and server of such a name; null for the name of a tool. */
export function readContentName(toolName: string): { kind: ContentKind; server: string } | null {
  if (!isContentName(toolName)) return null;
  const kind = toolName.endsWith(CONTENT_METHODS.resource) ? "resource" : "prompt";
  return { kind, server: toolName.slice(0, -CONTENT_METHODS[kind].length - 1) };
}

/** The kind is part of the implementation type: no tool has one of these types. */
export function getKind({ implementationType }: { implementationType: string | null }): ExecutionKind {
  return implementationType === "resource" || implementationType === "prompt" ? implementationType : "tool";
}

interface Titled {
  toolName: string;
  implementationType: string | null;
  argumentsPreview: string;
}

/** Returns the title of an execution in lists: the tool, the URI, or the prompt with its server's prefix. */
export function formatTitle({ toolName, implementationType, argumentsPreview }: Titled): string {
  const kind = getKind({ implementationType });
  if (kind === "tool") return toolName;
  const value = firstValue(argumentsPreview);
  if (value === null) return toolName;
  return kind === "resource" ? value : `${toolName.slice(0, toolName.lastIndexOf(" "))}__${value}`;
}

function firstValue(preview: string): string | null {
  const text = FIRST_VALUE.exec(preview)?.[1];
  if (text === undefined) return null;
  if (!text.endsWith('"') || text.length === 1) return `${text.slice(1)}…`;
  try {
    return String(JSON.parse(text));
  } catch {
    return null;
  }
}
