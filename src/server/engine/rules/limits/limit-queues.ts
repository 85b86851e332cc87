import { aborted, type CallFailure, failure } from "../../executor/call-outcome";
import type { LimitSlot, Taken } from "./limit-ports";

/** Calls that wait for one limit. */
const MAX_WAITING = 1_000;
/** Room may come back earlier than it was expected: a call was rejected, a user reset the limit. */
const LOOK_MS = 1_000;
const MIN_SLEEP_MS = 5;

export interface QueuedCall {
  take: () => Taken | Promise<Taken>;
  /** Epoch milliseconds. */
  now: () => number;
  waitMs: number;
  signal: AbortSignal | undefined;
  /** Called once, before the call waits. @returns the refusal of a call that cannot wait */
  onWait: (freeAt: number | null) => Promise<CallFailure | null>;
}

type QueueResult = { taken: Taken; hasWaited: boolean } | { failure: CallFailure };

/** Lets the calls that wait for one limit through in the order in which they came to this instance. */
export function createLimitQueues() {
  const queues = new Map<string, QueuedCall[]>();

  async function take({ ruleId, key }: LimitSlot, call: QueuedCall): Promise<QueueResult> {
    const id = `${ruleId}\n${key}`;
    const queue = queues.get(id) ?? [];
    if (queue.length >= MAX_WAITING) return { failure: failure("rule", `${MAX_WAITING} calls wait for this limit`) };
    queues.set(id, queue);
    queue.push(call);
    try {
      return await waitInTurn(queue, call);
    } finally {
      queue.splice(queue.indexOf(call), 1);
      if (queue.length === 0) queues.delete(id);
      else wake(queue);
    }
  }

  return { take };
}

const wakers = new WeakMap<QueuedCall, () => void>();

/** Lets the first call check again. */
function wake(queue: readonly QueuedCall[]): void {
  const [first] = queue;
  if (first !== undefined) wakers.get(first)?.();
}

async function waitInTurn(queue: readonly QueuedCall[], call: QueuedCall): Promise<QueueResult> {
  const endsAt = call.now() + call.waitMs;
  let hasWaited = false;
  let last: Taken | null = null;
  for (;;) {
    if (call.signal?.aborted) return { failure: aborted(call.signal.reason) };
    if (queue[0] === call) {
      last = await call.take();
      if (last.isTaken) return { taken: last, hasWaited };
    }
    const leftMs = endsAt - call.now();
    if (leftMs <= 0) return { taken: last ?? { isTaken: false, used: 0, freeAt: null }, hasWaited };
    if (!hasWaited) {
      hasWaited = true;
      const refused = await call.onWait(last?.freeAt ?? null);
      if (refused !== null) return { failure: refused };
      // The queue may have reached this call during the await.
      continue;
    }
    const freeMs = queue[0] === call && last?.freeAt != null ? last.freeAt - call.now() : LOOK_MS;
    await sleep(call, Math.max(Math.min(freeMs, leftMs, LOOK_MS), MIN_SLEEP_MS));
  }
}

function sleep(call: QueuedCall, ms: number): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      call.signal?.removeEventListener("abort", end);
      wakers.delete(call);
      resolve();
    };
    const timer = setTimeout(end, ms);
    wakers.set(call, end);
    call.signal?.addEventListener("abort", end, { once: true });
  });
}
