import type { Role } from "../../../lib/contract/access";
import type { LiveEvent } from "../../../lib/contract/live-event";
import { writeJson } from "../../../lib/json/limits";
import { HEARTBEAT_MS, SSE_COMMENT } from "../shared/responses";
import { type KeptLimits, KeptMessages, type Message, type Place, parsePlace } from "./kept-messages";

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
    case "reset":
      return event.type;
    case "suites":
      return event.run === undefined ? event.type : null;
    default:
      return null;
  }
}

/** The events between two writes, in order, without those that a later one replaces. */
class EventBatch {
  /** Null where a later event replaced it. */
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

/** The events published since the last write. */
class OpenBatches {
  readonly #forAll = new EventBatch();
  /** Events for some users alone, by these users. */
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
function formatData(events: readonly LiveEvent[]): string {
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
function encodeMessage(id: string, data: string): Buffer {
  const text = `id: ${id}\ndata: ${data}\n\n`;
  const message = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  message.write(text);
  return message;
}

/** The sink of one stream's bytes: an HTTP response. */
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
   * @param audience the users who receive it beside admins; absent for everyone
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
  /** Ends every stream; streams that are opened later end at once. */
  close(): void;
  readonly streamCount: number;
  /** For `open`: the id of what was written last. What is read from now on is at least as new as all before it. */
  readonly position: string;
}

/** A message on its way to the buses of other instances of the server. */
export interface PassedMessage {
  life: string;
  number: number;
  /** JSON text of its events. */
  data: string;
  audience?: readonly string[];
}

/** Joins the buses of several instances. */
export interface EventExchange {
  pass(message: PassedMessage): void;
  /** Called before the bus writes: `take` receives the messages of other buses, each in its own order. */
  join(bus: {
    life: string;
    count(): number;
    take(message: PassedMessage): void;
    meet(life: string, count: number): void;
    forget(life: string): void;
    /** Called when messages were lost. */
    miss(): void;
  }): void;
}

export interface EventBusLimits extends KeptLimits {
  streams: number;
  /** The limit for one user, so that others can open streams too. */
  streamsOfReader: number;
  /** Events that come within this time after a write go out together. */
  batchMs: number;
  heartbeatMs: number;
}

const EVENT_LIMITS: EventBusLimits = {
  streams: 512,
  streamsOfReader: 128,
  batchMs: 50,
  heartbeatMs: HEARTBEAT_MS,
  keptMessages: 2000,
  keptBytes: 4 * 1024 * 1024,
};

const HEARTBEAT = Buffer.from(SSE_COMMENT);

/**
 * Publishes events to every open stream: encoded once, in batches, so that the cost of a stream is one write per batch.
 * The newest batches are kept, numbered within this process's life; an id of another life, or one that is no longer kept,
 * is answered with `reset`. With several instances of the server an id names a number of each, so that a stream may continue at any of them.
 */
export function createEventBus(
  lifeId: string,
  overrides: Partial<EventBusLimits> = {},
  exchange: EventExchange | null = null,
): EventBus {
  const limits = { ...EVENT_LIMITS, ...overrides };
  const kept = new KeptMessages(lifeId, limits);
  const batches = new OpenBatches();
  const streams = new StreamSet(limits, () => single("reset"));
  const listeners: ((event: LiveEvent) => void)[] = [];
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;

  const single = (type: "hello" | "reset"): Buffer => encodeMessage(kept.position, formatData([{ type }]));

  function flush(): void {
    clearTimeout(timer);
    timer = undefined;
    batches.take(write);
  }

  function write(events: EventBatch, audience?: readonly string[]): void {
    if (events.isEmpty) return;
    writtenAt = performance.now();
    const message = { life: lifeId, number: kept.count + 1, data: formatData(events.take()) };
    const passed = audience === undefined ? message : { ...message, audience };
    writeMessage(passed);
    exchange?.pass(passed);
  }

  function writeMessage({ life, number, data, audience }: PassedMessage): void {
    const isNext = kept.advance(life, number);
    const bytes = encodeMessage(kept.position, data);
    const message = audience === undefined ? { life, number, bytes } : { life, number, bytes, audience };
    kept.add(message);
    if (!isNext) streams.reset();
    streams.send(message);
  }

  exchange?.join({
    life: lifeId,
    count: () => kept.count,
    take: (message) => closed || writeMessage(message),
    meet: (life, count) => kept.meet(life, count),
    forget: (life) => kept.forget(life),
    miss: () => streams.reset(),
  });

  /** Begins with an id even where no event was missed: a tab without events so far must be able to resume too. */
  function begin(stream: BusStream, place: Place | null, isNew: boolean): void {
    const missed = place === null ? null : kept.after(place);
    if (missed === null) stream.sendNotice(single(isNew ? "hello" : "reset"));
    else for (const message of missed) stream.send(message);
  }

  return {
    get streamCount() {
      return streams.size;
    },
    get position() {
      return kept.position;
    },
    publish(event, audience) {
      if (closed) return;
      for (const listener of listeners) listener(event);
      batches.add(event, audience);
      // Flushes at once after a quiet time, else together with following events.
      timer ??= setTimeout(flush, Math.max(0, writtenAt + limits.batchMs - performance.now())).unref();
    },
    listen: (listener) => void listeners.push(listener),
    open(lastEventId, sink, reader) {
      if (closed) {
        sink.end();
        return { resume: () => undefined, close: () => undefined };
      }
      if (!streams.hasRoom(reader)) return null;
      // The batch must not reach the new stream both as past and as new events.
      flush();
      const place = lastEventId === null ? null : parsePlace(lastEventId);
      const stream = new BusStream(sink, () => single("reset"), reader, place);
      begin(stream, place, lastEventId === null);
      streams.add(stream);
      return { resume: () => stream.resume(), close: () => streams.remove(stream) };
    },
    close() {
      flush();
      closed = true;
      streams.end();
    },
  };
}

/** The open streams, and the heartbeat that keeps them open. */
class StreamSet {
  readonly #streams = new Set<BusStream>();
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(
    private readonly limits: Pick<EventBusLimits, "streams" | "streamsOfReader" | "heartbeatMs">,
    private readonly encodeReset: () => Buffer,
  ) {}

  get size(): number {
    return this.#streams.size;
  }

  hasRoom(reader: EventReader | undefined): boolean {
    if (this.#streams.size >= this.limits.streams) return false;
    if (reader === undefined) return true;
    return [...this.#streams].filter((stream) => stream.reader?.id === reader.id).length < this.limits.streamsOfReader;
  }

  add(stream: BusStream): void {
    this.#streams.add(stream);
    this.#heartbeat ??= setInterval(() => this.#beat(), this.limits.heartbeatMs).unref();
  }

  remove(stream: BusStream): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#heartbeat);
    this.#heartbeat = undefined;
  }

  send(message: Message): void {
    for (const stream of this.#streams) stream.send(message);
  }

  /** Resets readers for whom the lost messages are not known. */
  reset(): void {
    const reset = this.encodeReset();
    for (const stream of this.#streams) stream.sendNotice(reset);
  }

  end(): void {
    clearInterval(this.#heartbeat);
    for (const stream of this.#streams) stream.end();
    this.#streams.clear();
  }

  #beat(): void {
    for (const stream of this.#streams) if (!stream.beat()) this.#streams.delete(stream);
  }
}

/** One reader. What a slow one misses is not queued: it reads everything again once it has caught up. */
class BusStream {
  #stalled = false;
  #missed = false;
  #stalledBeats = 0;

  constructor(
    private readonly sink: EventSink,
    private readonly reset: () => Buffer,
    readonly reader: EventReader | undefined,
    /** What the reader already knows, which may be more than has arrived here from other instances. */
    private readonly place: Place | null,
  ) {}

  send({ life, number, bytes, audience }: Message): void {
    const { reader } = this;
    if (number <= (this.place?.get(life) ?? 0)) return;
    if (audience !== undefined && reader !== undefined && reader.role !== "admin" && !audience.includes(reader.id))
      return;
    this.sendNotice(bytes);
  }

  /** Sends bytes to every reader. */
  sendNotice(bytes: Buffer): void {
    if (this.#stalled) this.#missed = true;
    else this.#stalled = !this.sink.write(bytes);
  }

  resume(): void {
    this.#stalled = false;
    this.#stalledBeats = 0;
    if (!this.#missed) return;
    this.#missed = false;
    this.sendNotice(this.reset());
  }

  /**
   * A reader that takes nothing for two heartbeats is gone, or comes back with its last id.
   * @returns false when the stream was ended
   */
  beat(): boolean {
    if (!this.#stalled) this.sendNotice(HEARTBEAT);
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
