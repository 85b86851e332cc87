import type { LiveMessage } from "./live-source";

const MOST_MESSAGES = 500;
const MOST_CHARS = 1_000_000;

/** The newest messages of a stream, for windows that join it later. */
export class RecentMessages {
  #messages: (LiveMessage & { id: string })[] = [];
  #chars = 0;
  /** Every message after this one is kept. */
  #base: string | null;
  /** The id of the newest message. */
  place: string | null;

  constructor(base: string | null) {
    this.#base = base;
    this.place = base;
  }

  add(message: LiveMessage): void {
    const { id, events, chars } = message;
    if (id === null) return;
    this.place = id;
    // Earlier events are read again, or were read before.
    if (this.#base === null || events.some(({ type }) => type === "reset" || type === "hello")) {
      this.#base = id;
      this.#messages = [];
      this.#chars = 0;
      return;
    }
    this.#messages.push({ ...message, id });
    this.#chars += chars;
    while (this.#messages.length > MOST_MESSAGES || this.#chars > MOST_CHARS) {
      const oldest = this.#messages.shift();
      if (oldest === undefined) return;
      this.#chars -= oldest.chars;
      this.#base = oldest.id;
    }
  }

  /** What a window misses that knows everything up to `place`; null where some of it is no longer kept. */
  after(place: string): LiveMessage[] | null {
    if (this.#base !== null && !coversPlace(place, this.#base)) return null;
    return this.#messages.filter(({ id }) => !coversPlace(place, id));
  }
}

/** Whether a reader at `known` has the message `id`. Both name the number of the last message of each server: `a:3,b:7`. */
export function coversPlace(known: string, id: string): boolean {
  const numbers = parsePlace(known);
  return [...parsePlace(id)].every(([server, number]) => (numbers.get(server) ?? -1) >= number);
}

function parsePlace(id: string): Map<string, number> {
  return new Map(
    id.split(",").map((part) => {
      const at = part.lastIndexOf(":");
      return [part.slice(0, at), Number(part.slice(at + 1))];
    }),
  );
}
