import { createHash } from "node:crypto";
import type { CheckedCall, TrafficChecker } from "../../engine/changes/traffic-ports";
import { BoundedWorker } from "./bounded-worker";
import { createStart, WORKERS } from "./start-worker";

/** For a batch of calls; a pattern may explode on one of them. */
const LIMIT_MS = 3000;
const PREPARE_MS = 5000;
const IDLE_MS = 30_000;
const MAX_ATTEMPTS = 3;

/** The thread's answer; `missing` requests the entries first. */
type Answer = { missing: true } | { checked: (CheckedCall | null)[] };

const OVERDUE: unique symbol = Symbol("overdue");

/** Checks recorded calls in one thread, which is ended when a batch takes too long. */
export function createTrafficChecker({ home, limitMs = LIMIT_MS }: { home: string; limitMs?: number }) {
  const start = createStart(home, WORKERS.traffic);
  const worker = new BoundedWorker({ start, limitMs, exitReason: "the thread ended", idleMs: IDLE_MS });

  async function send(message: object, options: { limitMs?: number } = {}): Promise<unknown> {
    const answer = await worker.run(message, options);
    if (answer.kind === "answer") return answer.value;
    if (answer.kind === "refused") throw new Error(`Recorded calls cannot be checked: ${answer.message}`);
    return OVERDUE;
  }

  const checker: TrafficChecker = {
    prepare(entries) {
      const entriesText = JSON.stringify(entries);
      const key = createHash("sha256").update(entriesText).digest("base64url");
      return async (calls) => {
        for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt += 1) {
          const answer = await send({ key, calls });
          if (answer === OVERDUE) return "undecidable";
          if ("checked" in (answer as Answer)) return (answer as { checked: (CheckedCall | null)[] }).checked;
          // The thread is new, or has checked other tools since.
          if ((await send({ key, entriesText }, { limitMs: PREPARE_MS })) === OVERDUE) return "undecidable";
        }
        return "undecidable";
      };
    },
  };
  return { ...checker, close: () => worker.close() };
}
