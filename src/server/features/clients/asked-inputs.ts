import type { AskedInput } from "../../engine/mcp-ports";
import type { Logger } from "../../engine/ports";

/** A request of the same kind is written again after this time. */
const REWRITE_MS = 60 * 60_000;
/** Written requests that are remembered; beyond it they are written again. */
const MAX_REMEMBERED = 10_000;
const KEPT_MS = 90 * 24 * 60 * 60_000;

export interface AskedInputStore {
  save(asked: AskedInput, at: number): Promise<void>;
  /** @param since epoch milliseconds */
  list(since: number): Promise<AskedInput[]>;
  prune(before: number): Promise<void>;
}

interface Ports {
  store: AskedInputStore;
  logger: Logger;
  now(): number;
}

export type AskedInputs = ReturnType<typeof createAskedInputs>;

/** Which tools have asked for input while they ran: verdicts name the clients that cannot answer. Kept for 90 days. */
export function createAskedInputs({ store, logger, now }: Ports) {
  const written = new Map<string, number>();

  return {
    /** Called during calls, which do not wait for the write. */
    note(asked: AskedInput): void {
      const key = JSON.stringify([asked.server, asked.tool, asked.kind]);
      const at = now();
      if (at - (written.get(key) ?? Number.NEGATIVE_INFINITY) < REWRITE_MS) return;
      if (written.size >= MAX_REMEMBERED) written.clear();
      written.set(key, at);
      store.save(asked, at).catch((err: unknown) => {
        written.delete(key);
        logger.warn({ err, server: asked.server }, "A request for input could not be recorded for verdicts on clients");
      });
    },
    list: (): Promise<AskedInput[]> => store.list(now() - KEPT_MS),
    prune: (): Promise<void> => store.prune(now() - KEPT_MS),
  };
}
