import { createSilentBulletin } from "./bulletin";
import { createSingleInstance } from "./instances";
import { createSealedBulletin } from "./sealed-bulletin";

/** For instances on a busy machine that count as lost only where a test says so. */
export const STEADY_TIMING = { renewMs: 200, lostMs: 15_000, staleMs: 12_000, settleMs: 1_000, pollMs: 300 };

/** The ports of a database with one process. */
export function createSingle(id = "local") {
  const self = { id, name: "test", address: null, version: "0.0.0", startedAt: 0, isDraining: false };
  return { copies: createSingleInstance(self), bulletin: createSilentBulletin() };
}

/** The same, for what encrypts its messages. */
export function createSealedSingle(id?: string) {
  const { copies, bulletin } = createSingle(id);
  const box = { seal: (text: string) => text, open: (text: string) => text };
  return { copies, bulletin: createSealedBulletin(bulletin, box) };
}
