import { createHash } from "node:crypto";

interface Source {
  /** The connection whose list counts; null once it has closed. */
  key: string | null;
  hash: string;
  warned: boolean;
}

/**
 * The connection whose tool list counts for all users, by server: the first one, until it closes. Users may see
 * different lists; using each would change the catalog with every visit.
 */
export class ToolSources {
  readonly #sources = new Map<string, Source>();

  /**
   * @param key the connection that listed the tools
   * @returns whether the list counts, and whether to warn that lists differ: once per server
   */
  take(server: string, key: string, tools: readonly unknown[]): { counts: boolean; warn: boolean } {
    const hash = hashTools(tools);
    const before = this.#sources.get(server);
    if (before === undefined || before.key === null || before.key === key) {
      const warn = before !== undefined && before.key === null && before.hash !== hash && !before.warned;
      this.#sources.set(server, { key, hash, warned: warn || before?.warned === true });
      return { counts: true, warn };
    }
    const warn = before.hash !== hash && !before.warned;
    before.warned ||= warn;
    return { counts: false, warn };
  }

  /** The connection has closed: the next list counts. */
  release(server: string, key: string): void {
    const source = this.#sources.get(server);
    if (source?.key === key) source.key = null;
  }

  forget(server: string): void {
    this.#sources.delete(server);
  }
}

function hashTools(tools: readonly unknown[]): string {
  const texts = tools.map((tool) => JSON.stringify(tool) ?? "").sort();
  return createHash("sha256").update(texts.join("\n")).digest("base64url");
}
