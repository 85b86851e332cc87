import type { LiveEvent } from "../../../lib/contract/live-event";

/** Events that say the same, or that a later one of the same key replaces: only the newest of a batch is sent. */
function replacementKey(event: LiveEvent): string | null {
  switch (event.type) {
    case "execution_progress":
      return `progress ${event.executionId}`;
    case "servers":
      return `server ${event.server}`;
    case "transcript":
      return `transcript ${event.transcriptId}`;
    case "account":
      return `account ${event.personId}`;
    case "tools":
    case "interactions":
    case "approvals":
    case "models":
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

/**
 * One message of the stream: the events of a batch under one id. Encoded once, written to every stream. It is kept for clients that
 * reconnect, so it has memory of its own: a short one in Node's shared pool would hold 8 kB.
 */
export function encodeBatch(id: string, events: readonly LiveEvent[]): Buffer {
  const text = `id: ${id}\ndata: ${formatData(events)}\n\n`;
  const message = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  message.write(text);
  return message;
}

function formatData(events: readonly LiveEvent[]): string {
  try {
    return JSON.stringify(events);
  } catch {
    // Nested too deeply or too large for JSON: the tabs read the value from where it is stored.
    return '[{"type":"reset"}]';
  }
}
