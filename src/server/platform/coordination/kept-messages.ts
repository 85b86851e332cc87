export interface Message {
  /** The bus that wrote it first, and its number there. */
  life: string;
  number: number;
  bytes: Buffer;
  /** The users who receive it; absent for everyone. */
  audience?: readonly string[];
}

/** How far a reader is: the number of the last message of each bus. */
export type Place = ReadonlyMap<string, number>;

export interface KeptLimits {
  /** Kept for tabs that come back: this many messages at least, twice as many at most. */
  keptMessages: number;
  /** The bytes of all kept events: a tab that comes back to more reads everything again instead. */
  keptBytes: number;
}

interface Life {
  /** The number of its last message here. */
  count: number;
  /** Every later message is kept. */
  floor: number;
}

/** An address has room for it, and more instances than that run nowhere. */
const MAX_LIVES = 32;

/** The newest messages of this process's bus and, with several instances of the server, of those of the others, in the order in which they came here. */
export class KeptMessages {
  readonly #own: string;
  readonly #limits: KeptLimits;
  readonly #lives = new Map<string, Life>();
  #messages: Message[] = [];
  #bytes = 0;
  /** The id of the last state: the messages that every bus had written by then. */
  position = "";

  constructor(own: string, limits: KeptLimits) {
    this.#own = own;
    this.#limits = limits;
    this.meet(own, 0);
  }

  /** The number of this bus's last message. */
  get count(): number {
    return this.#lives.get(this.#own)?.count ?? 0;
  }

  /** Adds another bus, whose messages after that number will arrive here. */
  meet(life: string, count: number): void {
    if (this.#lives.has(life)) return;
    this.#lives.set(life, { count, floor: count });
    if (this.#lives.size > MAX_LIVES) {
      const oldest = [...this.#lives.keys()].find((known) => known !== this.#own);
      if (oldest !== undefined) this.#lives.delete(oldest);
    }
    this.#place();
  }

  /** An instance that ended. */
  forget(life: string): void {
    this.#lives.delete(life);
    this.#place();
  }

  /** @returns false where messages before it are missing here */
  advance(life: string, number: number): boolean {
    const known = this.#lives.get(life);
    if (known === undefined) this.meet(life, number - 1);
    const state = this.#lives.get(life);
    if (state === undefined) return false;
    const isNext = state.count + 1 === number;
    if (!isNext) state.floor = number - 1;
    state.count = number;
    this.#place();
    return isNext;
  }

  add(message: Message): void {
    this.#messages.push(message);
    this.#bytes += message.bytes.length;
    const { keptMessages, keptBytes } = this.#limits;
    // Removing one from the front moves all the others: many at once cost the same.
    let dropped = this.#messages.length >= 2 * keptMessages ? this.#messages.length - keptMessages : 0;
    for (let at = 0; at < dropped; at += 1) this.#bytes -= this.#messages[at]?.bytes.length ?? 0;
    for (; this.#bytes > keptBytes; dropped += 1) this.#bytes -= this.#messages[dropped]?.bytes.length ?? 0;
    if (dropped === 0) return;
    for (const { life, number } of this.#messages.splice(0, dropped)) {
      const state = this.#lives.get(life);
      if (state !== undefined) state.floor = Math.max(state.floor, number);
    }
  }

  /** The messages after a position; null where they are no longer known. */
  after(place: Place): Message[] | null {
    for (const [life, number] of place) {
      const state = this.#lives.get(life);
      // Another instance may be ahead of what has come here; this bus cannot be.
      if (state === undefined || number < state.floor || (life === this.#own && number > state.count)) return null;
    }
    for (const [life, { floor }] of this.#lives) if (floor > 0 && !place.has(life)) return null;
    return this.#messages.filter(({ life, number }) => this.#lives.has(life) && number > (place.get(life) ?? 0));
  }

  #place(): void {
    this.position = [...this.#lives].map(([life, { count }]) => `${life}:${count}`).join(",");
  }
}

/** Reads an id; null for a text that is not an id. */
export function parsePlace(id: string): Place | null {
  const place = new Map<string, number>();
  for (const part of id.split(",", MAX_LIVES + 1)) {
    const match = /^([^:,]+):(\d{1,15})$/.exec(part);
    if (match?.[1] === undefined) return null;
    place.set(match[1], Number(match[2]));
  }
  return place;
}
