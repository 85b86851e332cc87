import { explainDenial, LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";

/** A page that reloads, or whose connection is cut for a moment, still counts. */
const GRACE_MS = 5000;

/** The open pages of the console, as this process sees them, whose reader may answer the requests of servers. */
export class ConsoleViewers {
  /** One entry for each page: its reader, with the role of the moment. */
  readonly #pages = new Set<{ reader: Principal }>();
  readonly #listeners: (() => void)[] = [];

  constructor(private readonly graceMs = GRACE_MS) {}

  /** @param principal null where people have no accounts @returns a function for when the page is closed */
  add(principal: Principal | null): () => void {
    const page = { reader: principal ?? LOCAL_PRINCIPAL };
    this.#pages.add(page);
    return () => {
      setTimeout(() => {
        this.#pages.delete(page);
        for (const listener of this.#listeners) listener();
      }, this.graceMs).unref();
    };
  }

  /** @param person the one who has to answer; absent: anyone */
  includes(person: string | undefined): boolean {
    return [...this.#pages].some(({ reader }) => (person === undefined || reader.id === person) && canAnswer(reader));
  }

  onLeave(listener: () => void): void {
    this.#listeners.push(listener);
  }
}

/** A token is a program that follows events. */
function canAnswer(reader: Principal): boolean {
  return reader.token === null && explainDenial(reader, "run") === null;
}
