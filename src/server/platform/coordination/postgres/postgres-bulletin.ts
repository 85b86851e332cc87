import { setTimeout as sleep } from "node:timers/promises";
import type { Logger } from "../../../engine/ports";
import type { Bulletin, Topic } from "../bulletin";
import {
  encodeAnswer,
  encodePost,
  GAP,
  LEAVE,
  PLACES,
  type Post,
  PRUNE,
  parsePosts,
  READ,
  READ_ROWS,
  SPEAKING,
  WRITE,
} from "./bulletin-batches";
import type { InstanceTiming } from "./instance-timing";
import { Link, type LinkOptions } from "./link";
import { PendingAsks } from "./pending-asks";

const CHANNEL = "toolroom_bulletin";
/** The time for the remaining messages when the server stops. */
const LEAVE_MS = 2_000;
/** Characters that wait to be written; more come where the database is away for long, and are replaced by one word that something is missing. */
const MAX_WAITING = 16_000_000;
const MAX_BATCH = 1_000_000;

interface Batch {
  copyId: string;
  number: number;
  posts: string;
  ageMs: number;
}

export interface BulletinOptions {
  selfId: string;
  /** The connection on which posts are written. */
  writes: Link;
  connect: LinkOptions["connect"];
  /** False where a pooler of connections does not pass on notifications. */
  listens: boolean;
  logger: Logger;
  timing: InstanceTiming;
  copies: { isAlone(): boolean; isSilent(id: string): boolean; noteExpelled(): void };
}

type Handler = (body: unknown, from: string) => unknown;

/**
 * Each instance writes its batches one after the other under numbers without a hole, so a reader's place is one number for each instance: what is
 * committed later by another instance is missed by no instance, an open transaction delays none, and a hole says that something was missed.
 */
export class PostgresBulletin implements Bulletin {
  readonly #options: BulletinOptions;
  readonly #reads: Link;
  readonly #handlers = new Map<string, Handler>();
  readonly #gapListeners: (() => void)[] = [];
  readonly #asks = new PendingAsks();
  readonly #places = new Map<string, number>();
  #waiting: string[] = [];
  #waitingSize = 0;
  #number = 0;
  #writing: Promise<void> | null = null;
  #writeTimer: NodeJS.Timeout | undefined;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #reading: Promise<void> | null = null;
  #isReadDue = false;
  #isOpen = false;
  #isClosed = false;
  #poll: NodeJS.Timeout | undefined;
  /** How old the oldest of the last batches was that were read. */
  lagMs = 0;

  constructor(options: BulletinOptions) {
    this.#options = options;
    const { connect, logger, listens } = options;
    this.#reads = new Link({
      connect,
      logger,
      onOpen: async (run) => {
        if (listens) await run(`LISTEN ${CHANNEL}`);
        if (this.#isOpen) setImmediate(() => this.#wake());
      },
      onNotification: () => this.#wake(),
    });
  }

  /** Begins with messages from now on. */
  async open(): Promise<void> {
    const { listens, timing } = this.#options;
    await this.#reads.open({ retry: false });
    const rows = await this.#reads.rows<{ copyId: string; number: number }>(PLACES);
    for (const { copyId, number } of rows) this.#places.set(copyId, number);
    this.#isOpen = true;
    this.#poll = setInterval(() => this.#wake(), listens ? timing.pollMs : timing.pollOnlyMs).unref();
    this.#wake();
  }

  post<Body>({ name }: Topic<Body, unknown>, body: Body): void {
    if (this.#options.copies.isAlone()) return;
    this.#add(encodePost(name, body));
    this.#scheduleWrite();
  }

  async ask<Body, Answer>(
    { name }: Topic<Body, Answer>,
    body: Body,
    limitMs = this.#options.timing.askMs,
    isEnough?: (answer: Answer) => boolean,
  ): Promise<Answer[]> {
    if (this.#options.copies.isAlone() || this.#isClosed) return [];
    const { id, answers } = this.#asks.open<Answer>(limitMs, isEnough);
    this.#add(encodePost(name, body, id));
    this.#writeNow();
    return await answers;
  }

  on<Body, Answer>(
    { name }: Topic<Body, Answer>,
    handle: (body: Body, from: string) => Answer | Promise<Answer>,
  ): void {
    this.#handlers.set(name, handle as Handler);
  }

  onGap(reload: () => void): void {
    this.#gapListeners.push(reload);
  }

  /** Removes an instance from the questions that wait for it. */
  forget(copyId: string): void {
    this.#asks.leaveOut(copyId);
  }

  /** Ends this instance, and tells the others. */
  async leave(topic: Topic<null>): Promise<void> {
    if (this.#waiting.length > 0) this.#writeNow();
    await Promise.race([this.#writing, sleep(LEAVE_MS, undefined, { ref: false })]);
    this.#isClosed = true;
    if (!this.#options.writes.isOpen) return;
    this.#number += 1;
    await this.#options.writes.rows(LEAVE, this.#options.selfId, this.#number, `[${encodePost(topic.name, null)}]`);
    await this.#notify();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#writeTimer);
    clearInterval(this.#poll);
    this.#asks.close();
    await this.#reads.close();
    await this.#reading;
  }

  /** Deletes what every living instance has read long ago. */
  async prune(): Promise<void> {
    const known = await this.#options.writes.rows<{ id: string }>(SPEAKING);
    const ids = new Set(known.map(({ id }) => id));
    for (const id of this.#places.keys()) if (!ids.has(id)) this.#places.delete(id);
    await this.#options.writes.rows(PRUNE);
  }

  #add(post: string): void {
    if (this.#isClosed) return;
    this.#waiting.push(post);
    this.#waitingSize += post.length;
    if (this.#waitingSize <= MAX_WAITING) return;
    this.#waiting = [GAP];
    this.#waitingSize = GAP.length;
  }

  #scheduleWrite(): void {
    // Writes at once after a quiet time, else together with following posts.
    const wait = this.#writtenAt + this.#options.timing.batchMs - performance.now();
    this.#writeTimer ??= setTimeout(() => this.#writeNow(), Math.max(0, wait)).unref();
  }

  #writeNow(): void {
    clearTimeout(this.#writeTimer);
    this.#writeTimer = undefined;
    this.#writing ??= this.#flush().finally(() => {
      this.#writing = null;
      if (this.#waiting.length > 0 && !this.#isClosed) this.#writeNow();
    });
  }

  async #flush(): Promise<void> {
    // Posts of the same turn of the event loop are sent together.
    await null;
    while (this.#waiting.length > 0 && !this.#isClosed) {
      const batch = this.#takeBatch();
      this.#number += 1;
      if (!(await this.#write(batch))) return;
      this.#writtenAt = performance.now();
      await this.#notify();
    }
  }

  #takeBatch(): string {
    let size = 0;
    let count = 0;
    for (const post of this.#waiting) {
      if (count > 0 && size + post.length > MAX_BATCH) break;
      size += post.length;
      count += 1;
    }
    this.#waitingSize -= size;
    return `[${this.#waiting.splice(0, count).join(",")}]`;
  }

  /** Tries until it is written: under the same number, since an attempt whose answer was lost may have succeeded. */
  async #write(posts: string): Promise<boolean> {
    const { writes, selfId, copies, logger } = this.#options;
    const lastAsk = this.#asks.lastId;
    while (!this.#isClosed) {
      try {
        const living = await writes.rows<{ id: string }>(WRITE, selfId, this.#number, posts);
        if (!living.some(({ id }) => id === selfId)) {
          this.#isClosed = true;
          copies.noteExpelled();
          return false;
        }
        const asked = living.map(({ id }) => id).filter((id) => id !== selfId && !copies.isSilent(id));
        this.#asks.noteAsked(lastAsk, asked);
        return true;
      } catch (error) {
        if (writes.isOpen) logger.warn({ err: error }, "The other copies could not be told");
        if (this.#isClosed) break;
        await writes.open({ retry: true });
        await sleep(this.#options.timing.batchMs, undefined, { ref: false });
      }
    }
    return false;
  }

  /**
   * Notifies in a separate transaction: one that also writes would hold the server's lock for notifications while it
   * commits.
   */
  async #notify(): Promise<void> {
    await this.#options.writes.rows(`NOTIFY ${CHANNEL}`).catch(() => undefined);
  }

  #wake(): void {
    this.#isReadDue = true;
    if (!this.#isOpen || this.#isClosed) return;
    if (!this.#reads.isOpen) return;
    this.#reading ??= this.#readAll().finally(() => {
      this.#reading = null;
      if (this.#isReadDue) this.#wake();
    });
  }

  async #readAll(): Promise<void> {
    while (this.#isReadDue && !this.#isClosed && this.#reads.isOpen) {
      this.#isReadDue = false;
      try {
        const places = [...this.#places].map(([id, number]) => ({ id, number }));
        const batches = await this.#reads.rows<Batch>(READ, JSON.stringify(places), this.#options.selfId);
        if (batches.length > 0) this.lagMs = Math.max(...batches.map(({ ageMs }) => ageMs));
        for (const batch of batches) this.#takeIn(batch);
        if (batches.length >= READ_ROWS) this.#isReadDue = true;
      } catch (error) {
        // The next poll, or the next opening of the connection, reads again.
        if (this.#reads.isOpen) this.#options.logger.warn({ err: error }, "What other copies say could not be read");
        return;
      }
    }
  }

  #takeIn({ copyId, number, posts }: Batch): void {
    const place = this.#places.get(copyId) ?? 0;
    this.#places.set(copyId, number);
    if (number !== place + 1) this.#reportGap();
    for (const post of parsePosts(posts)) this.#handle(post, copyId);
  }

  #reportGap(): void {
    for (const reload of this.#gapListeners) reload();
  }

  #handle(post: Post, from: string): void {
    if (post.type === "gap") this.#reportGap();
    else if (post.type === "answer") {
      if (post.to === this.#options.selfId) this.#asks.answer(post.askId, from, post.value);
    } else void this.#carryOut(post.topic, post.body, from, post.askId);
  }

  async #carryOut(topic: string, body: unknown, from: string, askId: number | null): Promise<void> {
    let value: unknown;
    try {
      value = await this.#handlers.get(topic)?.(body, from);
    } catch (error) {
      this.#options.logger.error({ err: error, topic, copy: from }, "What another copy said could not be handled");
    }
    if (askId === null) return;
    this.#add(encodeAnswer(askId, from, value));
    this.#writeNow();
  }
}
