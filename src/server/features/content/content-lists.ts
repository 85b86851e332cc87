import { readSkill } from "../../../lib/skills";
import type { ContentList } from "../../engine/mcp-ports";
import { type ContentPorts, isPersonal } from "./content-ports";

export type Entry = Readonly<Record<string, unknown>>;

/** The field that names an entry. */
export const KEYS: Readonly<Record<ContentList, string>> = {
  resources: "uri",
  resourceTemplates: "uriTemplate",
  prompts: "name",
  skills: "uri",
};
const LISTS_OF: Readonly<Record<"resources" | "prompts", readonly ContentList[]>> = {
  // A server has no notification of its own for skills, whose files are resources.
  resources: ["resources", "resourceTemplates", "skills"],
  prompts: ["prompts"],
};
/** The capabilities for notifications of changes; skills have none. */
const CAPABILITIES = {
  resources: "resources",
  resourceTemplates: "resources",
  prompts: "prompts",
  skills: null,
} as const;
/** The limit per server, so that a slow one does not delay the lists of the others. */
const DEADLINE_MS = 8000;
/** Lists of servers that do not tell of changes are read again after it. */
const MAX_AGE_MS = 5000;
const MAX_URI_CHARS = 8192;
const MAX_NAME_CHARS = 256;
const MAX_ENTRY_CHARS = 65_536;
/** An entry of a skill names all of its files, of which there may be 512. */
const MAX_SKILL_CHARS = 524_288;
const MAX_LIST_CHARS = 8_388_608;
/** The number of lists that are kept, of all servers and users. */
const MAX_KEPT = 1000;
const UNASKED = new Set(["disabled", "disconnected", "failed", "sign_in_needed"]);
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL = /[\u0000-\u001f\u007f]/;

interface Kept {
  entries: readonly Entry[];
  readAt: number;
}

type Ports = Pick<ContentPorts, "connections" | "settings" | "clock" | "logger">;

/** The lists of connected servers, kept until a server says that they changed. */
export class ContentLists {
  readonly #ports: Ports;
  readonly #kept = new Map<string, Kept>();
  readonly #reading = new Map<string, Promise<readonly Entry[]>>();
  /** Lists that a caller got empty, since their server had not answered. */
  readonly #missed = new Set<string>();
  /** Changes with each change of the kept lists. */
  version = 0;

  constructor(ports: Ports) {
    this.#ports = ports;
  }

  /** Empty for a server that is not connected, or that does not answer in time. */
  async read(server: string, list: ContentList, user: string, maxAgeMs = MAX_AGE_MS): Promise<readonly Entry[]> {
    const key = this.#toKey(server, list, user);
    const kept = this.#kept.get(key);
    const { clock } = this.#ports;
    if (kept !== undefined && (this.#tellsChanges(server, list, user) || clock.elapsed() - kept.readAt < maxAgeMs)) {
      return kept.entries;
    }
    const underWay = this.#reading.get(key);
    if (underWay !== undefined) return await underWay;
    const fetching = this.#fetch(server, list, user);
    const reading = fetching.then((entries) => entries ?? []);
    this.#reading.set(key, reading);
    const entries = await fetching;
    if (entries === null && this.#missed.size < MAX_KEPT) this.#missed.add(key);
    // Otherwise the list changed while it was read, and this may be the previous one.
    if (this.#reading.get(key) === reading) {
      this.#reading.delete(key);
      if (entries !== null) this.#keep(key, { entries, readAt: clock.elapsed() });
    }
    return await reading;
  }

  /** Returns the kept list without a request. */
  peek(server: string, list: ContentList, user: string): readonly Entry[] {
    return this.#kept.get(this.#toKey(server, list, user))?.entries ?? [];
  }

  /** @param user the user of the connection; absent for a shared one */
  forget(server: string, type: "resources" | "prompts", user = ""): void {
    this.version += 1;
    for (const list of LISTS_OF[type]) {
      const key = JSON.stringify([server, list, user]);
      this.#kept.delete(key);
      this.#reading.delete(key);
    }
  }

  /** Forgets the lists of all connections to a server. */
  forgetAll(server: string, type: "resources" | "prompts"): void {
    const owners = [...this.#kept.keys(), ...this.#reading.keys()].flatMap((key) => {
      const [of, , owner] = JSON.parse(key) as [string, ContentList, string];
      return of === server ? owner : [];
    });
    for (const owner of new Set(owners)) this.forget(server, type, owner);
  }

  /** Whether a caller received one of these lists empty before the connection opened. */
  takeMissed(server: string, type: "resources" | "prompts", user = ""): boolean {
    return LISTS_OF[type].map((list) => this.#missed.delete(JSON.stringify([server, list, user]))).includes(true);
  }

  /** The user whose lists a server's are; empty where they are shared. */
  toOwner(server: string, user: string): string {
    return isPersonal(this.#ports, server) ? user : "";
  }

  #toKey(server: string, list: ContentList, user: string): string {
    return JSON.stringify([server, list, this.toOwner(server, user)]);
  }

  #tellsChanges(server: string, list: ContentList, user: string): boolean {
    const { connections } = this.#ports;
    if (connections.state(server, user)?.status !== "connected") return false;
    const capability = CAPABILITIES[list];
    if (capability === null) return false;
    const declared = connections.capabilities(server, user)?.[capability];
    return (declared as { listChanged?: unknown } | undefined)?.listChanged === true;
  }

  /** Lists the server's current entries; connects first where needed. @throws ToolFailure */
  async ask(server: string, list: ContentList, user: string, signal?: AbortSignal): Promise<Entry[]> {
    const { connections, logger } = this.#ports;
    const listed = await connections.content(server, (content) => content.list(list, signal), user);
    const entries = bounded(listed, list);
    if (entries.length < listed.length) {
      const leftOut = listed.length - entries.length;
      logger.info({ server, list, leftOut }, "Entries of a server's list are duplicates, malformed or too large");
    }
    return entries;
  }

  /** Null for a server that has not answered. */
  async #fetch(server: string, list: ContentList, user: string): Promise<readonly Entry[] | null> {
    const { connections, logger } = this.#ports;
    const status = connections.state(server, user)?.status;
    if (status === undefined || UNASKED.has(status)) return null;
    const deadline = AbortSignal.timeout(DEADLINE_MS);
    try {
      return await untilAborted(this.ask(server, list, user, deadline), deadline);
    } catch (error) {
      logger.debug({ server, list, error: String(error) }, "A server's list could not be read");
      return null;
    }
  }

  #keep(key: string, kept: Kept): void {
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(key, kept);
    this.version += 1;
  }
}

/** Entries that clients can name, each name once. */
function bounded(listed: readonly Entry[], list: ContentList): Entry[] {
  const seen = new Set<string>();
  const maxChars = list === "prompts" ? MAX_NAME_CHARS : MAX_URI_CHARS;
  let left = MAX_LIST_CHARS;
  return listed.filter((entry) => {
    const key = entry[KEYS[list]];
    if (typeof key !== "string" || key === "" || key.length > maxChars || CONTROL.test(key) || seen.has(key)) {
      return false;
    }
    const { length } = JSON.stringify(entry);
    if (length > (list === "skills" ? MAX_SKILL_CHARS : MAX_ENTRY_CHARS) || length > left) return false;
    if (list === "skills" && "problem" in readSkill(entry)) return false;
    left -= length;
    seen.add(key);
    return true;
  });
}

async function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener("abort", stop);
    work.catch(() => undefined);
  }
}
