import type { Role } from "../../../lib/contract/access";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { EventBatch, encodeBatch } from "./event-batch";

/** Where one stream's bytes go: an HTTP response. */
interface EventSink {
  /** @returns false when the reader is too slow: nothing more is written until `EventStream.resume` */
  write(message: Buffer): boolean;
  end(): void;
}

/** The reader of the stream; absent when every reader may read everything. */
interface EventReader {
  id: string;
  role: Role;
}

interface EventStream {
  /** The reader has caught up. */
  resume(): void;
  close(): void;
}

/**
 * What happens in the server, for the pages that are open on it. A stream carries every event once and in order,
 * except that progress and repeated notices may be replaced by a newer one.
 */
export interface EventBus {
  /**
   * Returns at once; events that come together are written together.
   * @param audience the people who get it beside admins; absent for everyone
   */
  publish(event: LiveEvent, audience?: readonly string[]): void;
  /** Calls `listener` with every event that this process publishes, at once. */
  listen(listener: (event: LiveEvent) => void): void;
  /**
   * Writes the events after `lastEventId`, then those to come; null starts now. Where some of them are no longer kept, or the id
   * was given by an earlier process, the stream begins with `reset`: read everything again.
   * @returns null when as many streams are open as there may be
   */
  open(lastEventId: string | null, sink: EventSink, reader?: EventReader): EventStream | null;
  /** Ends every stream; further ones end at once. */
  close(): void;
  readonly streamCount: number;
  /** For `open`: the id of what was written last. What is read from now on is at least as new as all before it. */
  readonly position: string;
}

export interface EventBusLimits {
  streams: number;
  /** The streams of one user, so that others get the rest. */
  streamsOfReader: number;
  /** Events that come within this time after a write go out together. */
  batchMs: number;
  heartbeatMs: number;
  /** Kept for tabs that come back: this many messages at least, twice as many at most. */
  keptMessages: number;
  /** The bytes of all kept events: a tab that comes back to more reads everything again instead. */
  keptBytes: number;
}

const EVENT_LIMITS: EventBusLimits = {
  streams: 512,
  streamsOfReader: 128,
  batchMs: 50,
  heartbeatMs: 15_000,
  keptMessages: 2000,
  keptBytes: 4 * 1024 * 1024,
};

interface Message {
  bytes: Buffer;
  /** Absent for everyone. */
  audience?: readonly string[];
}

const HEARTBEAT = Buffer.from(":\n\n");

/**
 * Publishes events to every open stream: encoded once, in batches, so that the cost of a stream is one write per batch.
 * The newest batches are kept, numbered within this process's life; an id of another life, or one that is no longer kept,
 * is answered with `reset`.
 */
export function createEventBus(lifeId: string, overrides: Partial<EventBusLimits> = {}): EventBus {
  const limits = { ...EVENT_LIMITS, ...overrides };
  const kept = new KeptMessages(limits);
  const batch = new EventBatch();
  /** Events for some people alone, by who these are. */
  const limited = new Map<string, { audience: readonly string[]; batch: EventBatch }>();
  const streams = new Set<BusStream>();
  const listeners: ((event: LiveEvent) => void)[] = [];
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let heartbeat: NodeJS.Timeout | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;

  const position = (): string => `${lifeId}:${kept.count}`;
  const single = (type: "hello" | "reset"): Buffer => encodeBatch(position(), [{ type }]);

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    // First what belongs to a call or a run, then what says how it ended.
    for (const each of limited.values()) write(each.batch, each.audience);
    limited.clear();
    write(batch);
  }

  function write(events: EventBatch, audience?: readonly string[]): void {
    if (events.isEmpty) return;
    writtenAt = performance.now();
    const message = kept.add((number) => encodeBatch(`${lifeId}:${number}`, events.take()), audience);
    for (const stream of streams) stream.send(message);
  }

  function batchFor(audience: readonly string[] | undefined): EventBatch {
    if (audience === undefined) return batch;
    const key = JSON.stringify(audience);
    const known = limited.get(key) ?? { audience, batch: new EventBatch() };
    limited.set(key, known);
    return known.batch;
  }

  /** Begins with an id even where nothing was missed: a tab that heard no event yet must be able to come back too. */
  function past(lastEventId: string | null): Message[] {
    if (lastEventId === null) return [{ bytes: single("hello") }];
    return findMissed(kept, lifeId, lastEventId) ?? [{ bytes: single("reset") }];
  }

  function beat(): void {
    for (const stream of streams) if (!stream.beat({ bytes: HEARTBEAT })) streams.delete(stream);
  }

  return {
    get streamCount() {
      return streams.size;
    },
    get position() {
      return position();
    },
    publish(event, audience) {
      if (closed) return;
      for (const listener of listeners) listener(event);
      batchFor(audience).add(event);
      // At once after a quiet time, else with what else comes.
      timer ??= setTimeout(flush, Math.max(0, writtenAt + limits.batchMs - performance.now())).unref();
    },
    listen: (listener) => void listeners.push(listener),
    open(lastEventId, sink, reader) {
      if (closed) {
        sink.end();
        return { resume: () => undefined, close: () => undefined };
      }
      if (streams.size >= limits.streams || countStreams(streams, reader) >= limits.streamsOfReader) return null;
      // The batch must not reach the new stream both as past and as new events.
      flush();
      const stream = new BusStream(sink, () => ({ bytes: single("reset") }), reader);
      for (const message of past(lastEventId)) stream.send(message);
      streams.add(stream);
      heartbeat ??= setInterval(beat, limits.heartbeatMs).unref();
      return {
        resume: () => stream.resume(),
        close() {
          streams.delete(stream);
          if (streams.size > 0) return;
          clearInterval(heartbeat);
          heartbeat = undefined;
        },
      };
    },
    close() {
      flush();
      closed = true;
      clearInterval(heartbeat);
      for (const stream of streams) stream.end();
      streams.clear();
    },
  };
}

/** Returns the messages after an id of this life; null where they are not kept, or the id is of another life. */
function findMissed(kept: KeptMessages, lifeId: string, lastEventId: string): Message[] | null {
  const match = /^(.*):(\d{1,15})$/.exec(lastEventId);
  return match?.[1] === lifeId ? kept.after(Number(match[2])) : null;
}

function countStreams(streams: Iterable<BusStream>, reader: EventReader | undefined): number {
  return reader === undefined ? 0 : [...streams].filter((stream) => stream.reader?.id === reader.id).length;
}

/** One reader. What a slow one misses is not queued: it reads everything again once it has caught up. */
class BusStream {
  #stalled = false;
  #missed = false;
  #stalledBeats = 0;

  constructor(
    private readonly sink: EventSink,
    private readonly reset: () => Message,
    readonly reader: EventReader | undefined,
  ) {}

  send({ bytes, audience }: Message): void {
    const { reader } = this;
    if (audience !== undefined && reader !== undefined && reader.role !== "admin" && !audience.includes(reader.id))
      return;
    if (this.#stalled) this.#missed = true;
    else this.#stalled = !this.sink.write(bytes);
  }

  resume(): void {
    this.#stalled = false;
    this.#stalledBeats = 0;
    if (!this.#missed) return;
    this.#missed = false;
    this.send(this.reset());
  }

  /**
   * A reader that takes nothing for two heartbeats is gone, or comes back with its last id.
   * @returns false when the stream was ended
   */
  beat(heartbeat: Message): boolean {
    if (!this.#stalled) this.send(heartbeat);
    else if (this.#stalledBeats++ > 0) {
      this.sink.end();
      return false;
    }
    return true;
  }

  end(): void {
    this.sink.end();
  }
}

class KeptMessages {
  #messages: Message[] = [];
  #bytes = 0;
  /** How many there were in all. */
  count = 0;

  constructor(private readonly limits: Pick<EventBusLimits, "keptMessages" | "keptBytes">) {}

  add(encode: (number: number) => Buffer, audience?: readonly string[]): Message {
    this.count += 1;
    const bytes = encode(this.count);
    const message = audience === undefined ? { bytes } : { bytes, audience };
    this.#messages.push(message);
    this.#bytes += bytes.length;
    const { keptMessages, keptBytes } = this.limits;
    // Removing one from the front moves all the others: many at once cost the same.
    let dropped = this.#messages.length >= 2 * keptMessages ? this.#messages.length - keptMessages : 0;
    for (let at = 0; at < dropped; at += 1) this.#bytes -= this.#messages[at]?.bytes.length ?? 0;
    for (; this.#bytes > keptBytes; dropped += 1) this.#bytes -= this.#messages[dropped]?.bytes.length ?? 0;
    if (dropped > 0) this.#messages.splice(0, dropped);
    return message;
  }

  /** Null where one of those after that number is no longer kept, or the number is none that was given. */
  after(number: number): Message[] | null {
    const missed = this.count - number;
    if (missed < 0 || missed > this.#messages.length) return null;
    return missed === 0 ? [] : this.#messages.slice(-missed);
  }
}
