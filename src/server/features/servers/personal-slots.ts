import type { CredentialSlot } from "../../../lib/contract/credential";
import type { Problem } from "../../../lib/contract/problem";
import type { ServerSettings } from "../../../lib/contract/server";
import type { PersonalSlots } from "../../engine/mcp-ports";
import { getOrigin } from "./server-secrets";

/** The slots that each person fills; null for a server with a shared credential. */
export function personalSlots({ credentials }: Pick<ServerSettings, "credentials">): CredentialSlot[] | null {
  return credentials?.mode === "personal" ? credentials.slots : null;
}

/** The same for the connection, with what the values are entered for. */
export function toPersonalSlots(settings: ServerSettings): PersonalSlots | undefined {
  const slots = personalSlots(settings);
  if (slots === null) return undefined;
  const query = slots.filter((slot) => slot.in === "query").map(({ name }) => name);
  return {
    slots: slots.map(({ name }) => name),
    ...(query.length === 0 ? {} : { query }),
    binding: bindingOf(settings),
  };
}

/**
 * Whoever changes a server must not receive what people entered for another one: values count for the origin of an address,
 * and for a whole command line, since another package may be started by the same command.
 */
function bindingOf(settings: ServerSettings): string {
  if (settings.transport !== "stdio") return getOrigin(settings.url);
  return JSON.stringify([settings.command, settings.args, settings.cwd ?? null]);
}

/** What is wrong with the slots; names are judged as those of headers or environment variables. */
export function findSlotProblems(settings: ServerSettings): Problem[] {
  const slots = personalSlots(settings);
  if (slots === null) return [];
  const isStdio = settings.transport === "stdio";
  const auth = isStdio ? "none" : settings.auth.type;
  if (auth === "oauth") {
    if (slots.length === 0) return [];
    return [{ path: "credentials.slots", message: "must be empty with OAuth: each person signs in" }];
  }
  if (auth !== "none") {
    return [{ path: "credentials.mode", message: "must be 'shared': these client credentials belong to Toolroom" }];
  }
  if (slots.length === 0) {
    const what = isStdio ? "the environment variable" : "the header, or choose OAuth as authentication";
    return [{ path: "credentials.slots", message: `is required: name ${what} whose value each person enters` }];
  }
  const fold = ({ name }: CredentialSlot): string => (isStdio ? name : name.toLowerCase());
  const headers = new Set(isStdio ? [] : settings.headers.map(({ name }) => name.toLowerCase()));
  const query = new Set(settings.transport === "openapi" ? settings.query.map(({ name }) => name) : []);
  const shared = isStdio ? new Set(settings.env.map(({ name }) => name)) : headers;
  const seen = new Set<string>();
  return slots.flatMap((slot, index) => {
    if (slot.in === "query" && settings.transport !== "openapi") {
      return [{ path: `credentials.slots[${index}].in`, message: "must be 'header': only APIs take query parameters" }];
    }
    const isShared = slot.in === "query" ? query.has(slot.name) : shared.has(fold(slot));
    const message = findNameProblem(slot, isStdio, isShared, seen.has(fold(slot)));
    seen.add(fold(slot));
    return message === null ? [] : [{ path: `credentials.slots[${index}].name`, message }];
  });
}

function findNameProblem(
  { name, in: place }: CredentialSlot,
  isStdio: boolean,
  isShared: boolean,
  isRepeated: boolean,
): string | null {
  if (isRepeated) return `'${name}' is listed twice`;
  if (isShared) return `'${name}' has a shared value above: remove one of them`;
  if (place === "query") return null;
  if (isStdio) return /[=\0]/.test(name) ? "must not contain '='" : null;
  return /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) ? null : `'${name}' is not a header name`;
}
