import type { LiveEvent } from "../../../lib/contract/live-event";
import { writeJson } from "../../../lib/json/nesting";

/** Events that say the same, or that a later one of the same key replaces: only the newest of a batch is sent. */
function replacementKey(event: LiveEvent): string | null {
  switch (event.type) {
    case "execution_progress":
      return `progress ${event.executionId}`;
    case "servers":
      return `server ${event.server}`;
    case "account":
      return `account ${event.personId}`;
    case "tools":
    case "interactions":
    case "approvals":
    case "models":
    case "evals":
    case "reset":
      return event.type;
    default:
      return null;
  }
}

/** The events between two writes, in order, without those that a later one replaces. */
export class EventBatch {
  /** Null where a later one took its place. */
  #events: (LiveEvent | null)[] = [];
  #replaceable = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#events.length === 0;
  }

  add(event: LiveEvent): void {
    const key = replacementKey(event);
    if (key !== null) {
      const earlier = this.#replaceable.get(key);
      if (earlier !== undefined) this.#events[earlier] = null;
      this.#replaceable.set(key, this.#events.length);
    }
    this.#events.push(event);
  }

  take(): LiveEvent[] {
    const events = this.#events.filter((event) => event !== null);
    this.#events = [];
    this.#replaceable = new Map();
    return events;
  }
}

/** What was published since the last write. */
export class OpenBatches {
  readonly #forAll = new EventBatch();
  /** Events for some people alone, by who these are. */
  readonly #limited = new Map<string, { audience: readonly string[]; batch: EventBatch }>();

  add(event: LiveEvent, audience: readonly string[] | undefined): void {
    if (audience === undefined) {
      this.#forAll.add(event);
      return;
    }
    const key = JSON.stringify(audience);
    const known = this.#limited.get(key) ?? { audience, batch: new EventBatch() };
    this.#limited.set(key, known);
    known.batch.add(event);
  }

  /** First what belongs to a call or a run, then what says how it ended. */
  take(write: (batch: EventBatch, audience?: readonly string[]) => void): void {
    for (const { batch, audience } of this.#limited.values()) write(batch, audience);
    this.#limited.clear();
    write(this.#forAll);
  }
}

/** The events of a batch as JSON, which is written to every stream and sent to other instances of the server. */
export function formatData(events: readonly LiveEvent[]): string {
  try {
    return writeJson(events) ?? "[]";
  } catch {
    // Nested too deeply or too large for JSON: the tabs read the value from where it is stored.
    return '[{"type":"reset"}]';
  }
}

/**
 * One message of the stream: the events of a batch under one id. Encoded once, written to every stream. It is kept for clients that
 * reconnect, so it has memory of its own: a short one in Node's shared pool would hold 8 kB.
 */
export function encodeMessage(id: string, data: string): Buffer {
  const text = `id: ${id}\ndata: ${data}\n\n`;
  const message = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  message.write(text);
  return message;
}
