import { damagedKindSchema, type LoadProblem } from "../../../lib/contract/catalog-tool";
import { getMessage } from "../../../lib/get-message";
import type { Logger } from "../../engine/ports";

/** The first ones are enough to show the problem. */
const MAX_NOTED = 200;
const MAX_REASON_CHARS = 300;

/** Rows that cannot be read: of a later version, or changed by hand. Each is skipped, logged once and shown in Settings. */
export class DamagedRows {
  readonly #noted = new Map<string, LoadProblem>();
  readonly #logger: Logger;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Reads a row; null for one that cannot be read. @param kind `run` @param name its name or id */
  read<T>(kind: string, name: string, read: () => T): T | null {
    try {
      return read();
    } catch (error) {
      this.#note(kind, name, error);
      return null;
    }
  }

  list(): LoadProblem[] {
    return [...this.#noted.values()];
  }

  /** Forgets a row that was deleted. */
  forget(kind: string, name: string): void {
    this.#noted.delete(`${kind} ${name}`);
  }

  #note(kind: string, name: string, error: unknown): void {
    const key = `${kind} ${name}`;
    if (this.#noted.has(key) || this.#noted.size >= MAX_NOTED) return;
    const reason = getMessage(error).replace(/\s+/g, " ").slice(0, MAX_REASON_CHARS);
    const problem = `this stored ${kind} cannot be read and is skipped: ${reason}`;
    const { data: damaged } = damagedKindSchema.safeParse(kind);
    const entry = { origin: "database" as const, source: "database", name, error: problem };
    this.#noted.set(key, damaged === undefined ? entry : { ...entry, damaged });
    this.#logger.error({ kind, name, error: reason }, `The stored ${kind} '${name}' cannot be read and is skipped`);
  }
}
