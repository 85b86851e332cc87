import type { Role } from "../../../lib/contract/access";
import type { LiveEvent } from "../../../lib/contract/live-event";

/** Where one stream's bytes go: an HTTP response. */
export interface EventSink {
  /** @returns false when the reader is too slow: nothing more is written until `EventStream.resume` */
  write(message: Buffer): boolean;
  end(): void;
}

/** The reader of the stream; absent when every reader may read everything. */
export interface EventReader {
  id: string;
  role: Role;
}

export interface EventStream {
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
