import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { isPlainObject } from "../../../../lib/contract/json";
import type { ConnectionSettings, ProtocolStore } from "../../../engine/mcp-ports";

/** `modern` is stateless and starts with `server/discover`; `legacy` starts with `initialize`. */
export type ProtocolEra = "modern" | "legacy";

interface Learned {
  era: ProtocolEra;
  /** Hash of the settings that it was learned with. */
  settings: string;
}

/**
 * Remembers which protocol era a server speaks, across connections and restarts, so that a slow response cannot change the
 * protocol. Valid for the same settings only.
 */
export class ProtocolMemory {
  readonly #server: string;
  readonly #store: ProtocolStore;
  readonly #onError: (error: unknown) => void;
  /** Undefined until loaded. */
  #learned: Learned | null | undefined;

  constructor(server: string, store: ProtocolStore, onError: (error: unknown) => void) {
    this.#server = server;
    this.#store = store;
    this.#onError = onError;
  }

  async recall(settings: ConnectionSettings): Promise<ProtocolEra | null> {
    if (this.#learned === undefined) {
      const stored = await this.#load();
      // The protocol may have been learned while the store was read.
      this.#learned ??= stored;
    }
    return this.#learned?.settings === hashSettings(settings) ? this.#learned.era : null;
  }

  async keep(settings: ConnectionSettings, era: ProtocolEra): Promise<void> {
    await this.#keep({ era, settings: hashSettings(settings) });
  }

  async #keep(learned: Learned): Promise<void> {
    if (!isDeepStrictEqual(this.#learned, learned)) await this.#write(learned);
  }

  async forget(): Promise<void> {
    if (this.#learned !== null) await this.#write(null);
  }

  async #load(): Promise<Learned | null> {
    try {
      return parseLearned(await this.#store.read(this.#server));
    } catch (error) {
      this.#onError(error);
      return null;
    }
  }

  /** A revision that cannot be stored is still remembered in this process. */
  async #write(learned: Learned | null): Promise<void> {
    this.#learned = learned;
    try {
      await this.#store.write(this.#server, learned === null ? null : JSON.stringify(learned));
    } catch (error) {
      this.#onError(error);
    }
  }
}

/** Hashes only settings that determine the target and kind of the connection. */
function hashSettings(settings: ConnectionSettings): string {
  const { name: _, enabled: __, connectTimeoutMs: ___, roots: ____, sampling: _____, ...relevant } = settings;
  // Users share the hash: a server uses one protocol for all of them.
  const { personal: ______, personalValues: _______, ...common } = relevant;
  return createHash("sha256").update(JSON.stringify(common)).digest("base64url");
}

function parseLearned(text: string | null): Learned | null {
  if (text === null) return null;
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value) || typeof value.settings !== "string") return null;
  const { era, settings } = value;
  return era === "modern" || era === "legacy" ? { era, settings } : null;
}
