import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../../engine/ports";
import type { Instance, Instances } from "../instances";
import type { InstanceTiming } from "./instance-timing";
import type { Link } from "./link";

export interface InstancesOptions {
  self: Instance;
  /** For signs of life: nothing else may keep it waiting for long. */
  link: Link;
  logger: Logger;
  timing: InstanceTiming;
  /** Ends the instance's row and tells the others in one statement. */
  leave(): Promise<void>;
  onLost: Instances["onLost"];
  /** An instance ended, or was lost and marked so by this one. */
  onGone(id: string, byThisOne: boolean): void;
}

/** The listeners of an expelled instance have this long. */
const END_MS = 4_000;
/** The row of an instance that ended is kept for longer than a process sleeps: if it wakes, it finds that it may write nothing. */
const KEPT = "7 days";

const RENEW = `WITH mine AS (
  UPDATE "Copy" SET "beats" = "beats" + 1, "renewedAt" = clock_timestamp(), "isDraining" = $2
  WHERE "id" = $1 AND "endedAt" IS NULL RETURNING "id"
)
SELECT "id", "name", "address", "version", "startedAt", "isDraining", "beats",
  extract(epoch FROM clock_timestamp() - "renewedAt") * 1000 AS "silentMs", (SELECT count(*) FROM mine) AS "mine"
FROM "Copy" WHERE "endedAt" IS NULL ORDER BY "startedAt", "id"`;

interface InstanceRow extends Omit<Instance, "isDraining"> {
  isDraining: number;
  beats: number;
  /** The silence by the clock of the database, for the first read. */
  silentMs: number;
  mine: number;
}

interface Sighting {
  copy: Instance;
  beats: number;
  /** When this process first saw that count, by its own clock. */
  at: number;
}

/**
 * Silence is measured by the clock of the process that notices it, from one count of beats to the next: no two clocks are compared. Only an instance
 * that has itself renewed without a pause for that long expels, so that an outage of the database expels nobody.
 */
export class PostgresInstances implements Instances {
  readonly self: Instance;
  readonly expelled: Promise<void>;
  readonly #options: InstancesOptions;
  readonly #ended = new AbortController();
  readonly #expelListeners: (() => Promise<void>)[] = [];
  readonly #staleListeners: (() => void)[] = [];
  #resolveExpelled = (): void => undefined;
  #others = new Map<string, Sighting>();
  #renewedAt = Number.NEGATIVE_INFINITY;
  #steadySince = 0;
  #isStale = false;
  #isExpelled = false;
  #closing: Promise<void> | null = null;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: InstancesOptions) {
    this.#options = options;
    this.self = { ...options.self };
    this.expelled = new Promise((resolve) => {
      this.#resolveExpelled = resolve;
    });
  }

  /** Registers this instance and begins to renew it. */
  async open(): Promise<void> {
    const { link, timing } = this.#options;
    const { id, name, address, version, startedAt } = this.self;
    await link.rows(
      `INSERT INTO "Copy" ("id", "name", "address", "version", "startedAt") VALUES ($1, $2, $3, $4, $5)`,
      id,
      name,
      address,
      version,
      startedAt,
    );
    await this.#renew();
    this.#watch = setInterval(() => this.#checkStale(), timing.renewMs / 4).unref();
    void this.#keepRenewing();
  }

  list(): Instance[] {
    return [this.self, ...[...this.#others.values()].map(({ copy }) => copy)];
  }

  isLiving(id: string): boolean {
    return (id === this.self.id && !this.#isExpelled) || this.#others.has(id);
  }

  /** Whether it gave no sign of life for some time, although it is not lost yet. */
  isSilent(id: string): boolean {
    const seen = this.#others.get(id);
    return seen === undefined || performance.now() - seen.at > this.#options.timing.staleMs;
  }

  /** Whether no other instance can have started since the last read. */
  isAlone(): boolean {
    return this.#others.size === 0 && performance.now() - this.#renewedAt < 1.5 * this.#options.timing.renewMs;
  }

  /** This instance was silent for so long that it can no longer be sure of what it owns. */
  isStale(): boolean {
    this.#checkStale();
    return this.#isStale || this.#isExpelled;
  }

  onStale(listener: () => void): void {
    this.#staleListeners.push(listener);
  }

  onLost(settle: (living: readonly string[]) => Promise<void>): void {
    this.#options.onLost(settle);
  }

  onExpelled(end: () => Promise<void>): void {
    this.#expelListeners.push(end);
  }

  /** Reads the list now. */
  refresh(): Promise<void> {
    return this.#renew();
  }

  async drain(): Promise<void> {
    this.self.isDraining = true;
    await this.#renew();
  }

  close(): Promise<void> {
    this.#closing ??= (async () => {
      this.#ended.abort();
      clearInterval(this.#watch);
      if (!this.#isExpelled) await this.#options.leave();
    })();
    return this.#closing;
  }

  /** Another instance marked this one as lost. */
  noteExpelled(): void {
    if (this.#isExpelled || this.#closing !== null) return;
    this.#isExpelled = true;
    this.#ended.abort();
    this.#options.logger.error(
      { copy: this.self.id },
      "This copy of the server gave no sign of life for too long, and the others took over its work. It ends with code 75, to be started again",
    );
    for (const listener of this.#staleListeners) listener();
    const done = Promise.allSettled(this.#expelListeners.map((end) => end()));
    void Promise.race([done, sleep(END_MS)]).then(() => this.#resolveExpelled());
  }

  async #keepRenewing(): Promise<void> {
    const { link, logger } = this.#options;
    const { signal } = this.#ended;
    while (!signal.aborted) {
      try {
        await sleep(this.#findPause(), undefined, { signal, ref: false });
        await this.#renew();
      } catch (error) {
        if (signal.aborted) return;
        if (link.isOpen) logger.warn({ err: error }, "The sign of life of this copy could not be written");
        else await link.open({ retry: true });
      }
    }
  }

  /** Until the next sign of life, or until another instance has been silent for too long. */
  #findPause(): number {
    const { renewMs, lostMs } = this.#options.timing;
    const now = performance.now();
    const due = [...this.#others.values()].map(({ at }) => at + lostMs - now).filter((wait) => wait > 0);
    return Math.min(renewMs, ...due.map((wait) => wait + 1));
  }

  async #renew(): Promise<void> {
    const { self } = this;
    const rows = await this.#options.link.rows<InstanceRow>(RENEW, self.id, self.isDraining);
    if (this.#closing !== null || this.#isExpelled) return;
    if (!rows.some(({ mine }) => mine > 0)) return this.noteExpelled();
    const now = performance.now();
    if (now - this.#renewedAt > this.#options.timing.staleMs) this.#steadySince = now;
    this.#renewedAt = now;
    this.#isStale = false;
    this.#observe(rows, now);
    await this.#expelSilent(now);
  }

  #observe(rows: readonly InstanceRow[], now: number): void {
    const seen = new Map<string, Sighting>();
    for (const { beats, silentMs, mine: _, isDraining, ...row } of rows) {
      if (row.id === this.self.id) continue;
      const known = this.#others.get(row.id);
      const since = known === undefined ? now - Math.max(0, silentMs) : now;
      const copy = { ...row, isDraining: isDraining === 1 };
      seen.set(row.id, { copy, beats, at: known?.beats === beats ? known.at : since });
    }
    const gone = [...this.#others.keys()].filter((id) => !seen.has(id));
    this.#others = seen;
    for (const id of gone) this.#options.onGone(id, false);
  }

  async #expelSilent(now: number): Promise<void> {
    const { link, logger, timing, onGone } = this.#options;
    if (now - this.#steadySince < timing.lostMs) return;
    for (const [id, { at, beats, copy }] of [...this.#others]) {
      if (now - at < timing.lostMs) continue;
      const expelled = await link.rows(
        `UPDATE "Copy" SET "endedAt" = clock_timestamp() WHERE "id" = $1 AND "beats" = $2 AND "endedAt" IS NULL RETURNING "id"`,
        id,
        beats,
      );
      if (expelled.length === 0) continue;
      logger.warn({ copy: id, name: copy.name }, "A copy of the server gave no sign of life and counts as lost");
      this.#others.delete(id);
      onGone(id, true);
    }
  }

  #checkStale(): void {
    if (this.#isStale || performance.now() - this.#renewedAt <= this.#options.timing.staleMs) return;
    this.#isStale = true;
    for (const listener of this.#staleListeners) listener();
  }

  /** Forgets instances that ended long ago, and what they said. */
  async prune(): Promise<void> {
    await this.#options.link.rows(`DELETE FROM "Copy" WHERE "endedAt" < clock_timestamp() - interval '${KEPT}'`);
  }
}
