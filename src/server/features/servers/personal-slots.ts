import type { CredentialSlot } from "../../../lib/contract/credential";
import type { Problem } from "../../../lib/contract/problem";
import type { ServerSettings } from "../../../lib/contract/server";
import { SERVER_KINDS, usesIdentity, type ValueList } from "../../../lib/contract/server-kind";
import { getAuth, readFields } from "../../../lib/server-settings/setting-fields";
import type { PersonalSlots } from "../../engine/mcp-ports";
import { getOrigin } from "./server-secrets";
import { VALUE_LISTS } from "./value-lists";

/** The slots that each user fills; null for a server with a shared credential. */
export function personalSlots({ credentials }: Pick<ServerSettings, "credentials">): CredentialSlot[] | null {
  return credentials?.mode === "personal" ? credentials.slots : null;
}

/** The slots for the connection, with the target that the values are entered for. */
export function toPersonalSlots(settings: ServerSettings): PersonalSlots | undefined {
  const slots = personalSlots(settings);
  if (slots === null) return undefined;
  const query = slots.filter((slot) => slot.in === "query").map(({ name }) => name);
  return {
    slots: slots.map(({ name }) => name),
    ...(query.length === 0 ? {} : { query }),
    binding: formatBinding(settings),
  };
}

/**
 * A user who changes a server must not receive values that users entered for another one: values belong to the origin
 * of an address, or to a whole command line, since the same command may start another package.
 */
function formatBinding(settings: ServerSettings): string {
  if ("url" in settings) return getOrigin(settings.url);
  return JSON.stringify([settings.command, settings.args, settings.cwd ?? null]);
}

/** Lists the problems of the slots; names are checked as those of headers or environment variables. */
export function findSlotProblems(settings: ServerSettings): Problem[] {
  const slots = personalSlots(settings);
  const identity = usesIdentity(getAuth(settings));
  if (slots === null) {
    const message = "must be 'personal': with this sign-in each call runs as its own user";
    return identity ? [{ path: "credentials.mode", message }] : [];
  }
  const { type: auth } = getAuth(settings);
  if (identity || auth === "oauth") {
    if (slots.length === 0) return [];
    const message = identity
      ? "must be empty with this sign-in: users enter nothing"
      : "must be empty with OAuth: each user signs in";
    return [{ path: "credentials.slots", message }];
  }
  if (auth !== "none") {
    return [{ path: "credentials.mode", message: "must be 'shared': these client credentials belong to Toolroom" }];
  }
  const kind = SERVER_KINDS[settings.transport];
  const { word, fold } = VALUE_LISTS[kind.slots];
  if (slots.length === 0) {
    const what = kind.authTypes.includes("oauth") ? `${word}, or choose OAuth as authentication,` : word;
    return [{ path: "credentials.slots", message: `is required: name ${what} whose value each user enters` }];
  }
  const seen = new Set<string>();
  return slots.flatMap(({ name, in: place }, index) => {
    const list = place === "query" ? "query" : kind.slots;
    const field = `credentials.slots[${index}]`;
    if (!Object.hasOwn(kind.fields, list)) {
      return [{ path: `${field}.in`, message: "must be 'header': only APIs take query parameters" }];
    }
    const message = findNameProblem(name, list, listNames(settings, list), seen.has(fold(name)));
    seen.add(fold(name));
    return message === null ? [] : [{ path: `${field}.name`, message }];
  });
}

function listNames(settings: ServerSettings, list: ValueList): string[] {
  return readFields(settings, { values: (rows, name) => (name === list ? rows.map((row) => row.name) : []) });
}

function findNameProblem(name: string, list: ValueList, shared: readonly string[], isRepeated: boolean): string | null {
  const { fold, findNameProblem } = VALUE_LISTS[list];
  if (isRepeated) return `'${name}' is listed twice`;
  const isShared = shared.some((other) => fold(other) === fold(name));
  return isShared ? `'${name}' has a shared value above: remove one of them` : findNameProblem(name);
}
