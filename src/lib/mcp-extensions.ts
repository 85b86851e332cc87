import { APPS_EXTENSION } from "./apps/tool-app";
import { isPlainObject } from "./contract/json";
import { TASKS_EXTENSION } from "./mcp-tasks";

/** The extension with which servers publish Agent Skills. */
export const SKILLS_EXTENSION = "io.modelcontextprotocol/skills";

/** Their methods are served in Toolroom's own way; the others are relayed. */
const SERVED: ReadonlySet<string> = new Set([TASKS_EXTENSION, APPS_EXTENSION, SKILLS_EXTENSION]);

/** Declarations of one server, and the characters of their JSON: a client reads them in its handshake. */
const MAX_DECLARED = 50;
const MAX_DECLARED_CHARS = 32_768;
const MAX_NAME_CHARS = 200;

const REQUESTS: ReadonlySet<string> = new Set([
  "initialize",
  "ping",
  "server/discover",
  "subscriptions/listen",
  "tools/list",
  "tools/call",
  "resources/list",
  "resources/templates/list",
  "resources/read",
  "resources/directory/read",
  "resources/subscribe",
  "resources/unsubscribe",
  "prompts/list",
  "prompts/get",
  "completion/complete",
  "logging/setLevel",
  "roots/list",
  "sampling/createMessage",
  "elicitation/create",
  "tasks/get",
  "tasks/list",
  "tasks/result",
  "tasks/cancel",
  "tasks/update",
  "skills/list",
  "skills/get",
]);

const NOTIFICATIONS: ReadonlySet<string> = new Set([
  "notifications/initialized",
  "notifications/cancelled",
  "notifications/progress",
  "notifications/message",
  "notifications/tools/list_changed",
  "notifications/resources/list_changed",
  "notifications/resources/updated",
  "notifications/prompts/list_changed",
  "notifications/roots/list_changed",
  "notifications/elicitation/complete",
  "notifications/tasks",
  "notifications/tasks/status",
  "notifications/subscriptions/acknowledged",
]);

type Declarations = Record<string, Record<string, unknown>>;

/** The extensions in the capabilities of a server or a client, as they were declared. */
export interface DeclaredExtensions {
  extensions?: Declarations;
  experimental?: Declarations;
}

/**
 * Reads what a server declares beside the protocol's own capabilities. Tasks are left out, since the gateway has its own;
 * so is what clients would refuse the handshake for.
 */
export function readDeclaredExtensions(capabilities: unknown): DeclaredExtensions {
  const budget = { entries: MAX_DECLARED, chars: MAX_DECLARED_CHARS };
  const extensions = readDeclarations(capabilities, "extensions", budget);
  const experimental = readDeclarations(capabilities, "experimental", budget);
  return { ...(extensions && { extensions }), ...(experimental && { experimental }) };
}

function readDeclarations(
  capabilities: unknown,
  key: keyof DeclaredExtensions,
  left: { entries: number; chars: number },
): Declarations | null {
  const declared = isPlainObject(capabilities) && Object.hasOwn(capabilities, key) ? capabilities[key] : undefined;
  if (!isPlainObject(declared)) return null;
  const kept = Object.entries(declared).filter((entry): entry is [string, Record<string, unknown>] => {
    const [name, settings] = entry;
    if (name === TASKS_EXTENSION || name === "__proto__" || name.length > MAX_NAME_CHARS) return false;
    if (!isPlainObject(settings)) return false;
    const { length } = JSON.stringify(entry);
    if (left.entries === 0 || length > left.chars) return false;
    left.entries -= 1;
    left.chars -= length;
    return true;
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
}

/** The names of the declared extensions whose methods are relayed; empty where there are none. */
export function listRelayedExtensions(capabilities: unknown): string[] {
  const { extensions = {}, experimental = {} } = readDeclaredExtensions(capabilities);
  return [...Object.keys(extensions), ...Object.keys(experimental)].filter((name) => !SERVED.has(name));
}

/** Begins the methods of skills, which are never relayed: an unknown one could return skills without a review. */
const SKILLS = "skills/";

/** Whether a method belongs neither to the protocol nor to the extensions that Toolroom serves. */
export function isForeignMethod(method: string): boolean {
  if (method.startsWith(SKILLS)) return false;
  return !REQUESTS.has(method) && !NOTIFICATIONS.has(method) && method.length <= MAX_NAME_CHARS;
}
