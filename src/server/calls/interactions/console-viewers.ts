import { explainDenial, LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { type Bulletin, createTopic } from "../../platform/coordination/bulletin";
import type { Instances } from "../../platform/coordination/instances";

/** A page that reloads, or whose connection is cut for a moment, still counts. */
const GRACE_MS = 5000;
/** Roles change while pages are open, and instances of the server end. */
const CHECK_MS = 5000;

/** The readers of an instance's pages who may answer. */
const READERS = createTopic<string[]>("viewers.readers");
/** An instance sends it when it starts. */
const LIST = createTopic<null>("viewers.list");

export interface ConsoleViewersPorts {
  copies: Pick<Instances, "isLiving">;
  bulletin: Bulletin;
  graceMs?: number;
}

/** The open pages of the console, on all instances of the server, whose reader may answer the requests of servers. */
export class ConsoleViewers {
  /** One entry for each page of this instance: its reader, with the role of the moment. */
  readonly #pages = new Set<{ reader: Principal }>();
  /** The readers that other instances reported. */
  readonly #others = new Map<string, readonly string[]>();
  readonly #listeners: (() => void)[] = [];
  readonly #ports: ConsoleViewersPorts;
  #told = "[]";
  #timer: NodeJS.Timeout | undefined;

  constructor(ports: ConsoleViewersPorts) {
    this.#ports = ports;
    const { bulletin } = ports;
    bulletin.on(READERS, (readers, from) => {
      this.#others.set(from, readers);
      this.#watch();
      this.#noteLeft();
    });
    bulletin.on(LIST, () => bulletin.post(READERS, this.#listReaders()));
  }

  /** @param principal null where users have no accounts @returns a function to call when the page closes */
  add(principal: Principal | null): () => void {
    const page = { reader: principal ?? LOCAL_PRINCIPAL };
    this.#pages.add(page);
    this.#tell();
    this.#watch();
    return () => {
      setTimeout(() => {
        this.#pages.delete(page);
        this.#tell();
        this.#noteLeft();
      }, this.#ports.graceMs ?? GRACE_MS).unref();
    };
  }

  /** @param user the user who has to answer; without it, any user may answer */
  includes(user: string | undefined): boolean {
    const others = [...this.#others].flatMap(([copy, readers]) => (this.#ports.copies.isLiving(copy) ? readers : []));
    return [...this.#listReaders(), ...others].some((id) => user === undefined || id === user);
  }

  onLeave(listener: () => void): void {
    this.#listeners.push(listener);
  }

  /** Learns of the pages of other instances. */
  async load(): Promise<void> {
    await this.#ports.bulletin.ask(LIST, null);
  }

  #listReaders(): string[] {
    return [...new Set([...this.#pages].flatMap(({ reader }) => (canAnswer(reader) ? reader.id : [])))];
  }

  #tell(): void {
    const readers = this.#listReaders();
    const told = JSON.stringify(readers);
    if (told === this.#told) return;
    this.#told = told;
    this.#ports.bulletin.post(READERS, readers);
  }

  #noteLeft(): void {
    for (const listener of this.#listeners) listener();
  }

  /** While there is a page on any instance. */
  #watch(): void {
    this.#timer ??= setInterval(() => {
      this.#tell();
      const ended = [...this.#others.keys()].filter((copy) => !this.#ports.copies.isLiving(copy));
      for (const copy of ended) this.#others.delete(copy);
      if (ended.length > 0) this.#noteLeft();
      if (this.#pages.size + this.#others.size > 0) return;
      clearInterval(this.#timer);
      this.#timer = undefined;
    }, CHECK_MS).unref();
  }
}

/** A token belongs to a program that follows events, and cannot answer. */
function canAnswer(reader: Principal): boolean {
  return reader.token === null && explainDenial(reader, "run") === null;
}
