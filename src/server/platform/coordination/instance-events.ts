import { type Bulletin, createTopic } from "./bulletin";
import type { Instances } from "./instances";
import type { EventExchange, PassedMessage } from "./live-event-bus";

/** Short keys, since the message accompanies every event. */
interface Passed {
  l: string;
  n: number;
  d: string;
  a?: readonly string[];
}

interface Met {
  life: string;
  count: number;
  /** The id of the instance, and whether its users read events. Instances of an earlier version do not send them. */
  id?: string;
  isReading?: boolean;
}

interface Reading {
  /** The id of the last state that the instance knows; null where no user reads events there any more. */
  position: string | null;
}

interface Skipped {
  life: string;
  count: number;
}

const EVENTS = createTopic<Passed>("e");
const MEET = createTopic<Met, Met>("events.meet");
const READING = createTopic<Reading>("events.reading");
const SKIPPED = createTopic<Skipped>("events.skipped");
const CHECK_MS = 30_000;
/** A tab of an instance that ended comes back to another one within seconds. */
const REMEMBERED_MS = 60_000;

export interface InstanceEventsOptions {
  bulletin: Bulletin;
  copies: Pick<Instances, "self" | "list" | "isLiving">;
  /** How long events are still passed on after the last stream has closed. */
  lingerMs?: number;
}

/**
 * Passes live events on to the streams of other instances, while a stream is open on any of them: a call without a reader costs the
 * others nothing. The first reader receives what was skipped, or a `reset` where that is too much.
 * @returns what joins the bus, and `meet`, for the start
 */
export function createInstanceEvents({ bulletin, copies, lingerMs = REMEMBERED_MS }: InstanceEventsOptions) {
  let meet: () => Promise<void> = async () => undefined;
  let forgetEnded = (): void => undefined;
  let tellReading = (): void => undefined;
  let checkedAt = 0;
  let isReading = false;
  let lingering: NodeJS.Timeout | undefined;
  /** What other instances said last. One that has said nothing may have readers. */
  const reading = new Map<string, boolean>();

  // An instance that has just started says that it has readers before the list of instances names it.
  const isRead = (): boolean =>
    isReading ||
    [...reading.values()].includes(true) ||
    copies.list().some(({ id }) => id !== copies.self.id && reading.get(id) !== false);

  function setReading(value: boolean): void {
    if (isReading === value) return;
    isReading = value;
    tellReading();
  }

  const exchange: EventExchange = {
    pass(message) {
      if (isRead()) bulletin.post(EVENTS, toPassed(message));
      if (performance.now() - checkedAt > CHECK_MS) forgetEnded();
    },
    setStreams(count) {
      clearTimeout(lingering);
      if (count > 0) setReading(true);
      else lingering = setTimeout(() => setReading(false), lingerMs).unref();
    },
    join(bus) {
      /** The owning instances, by the life of their bus. */
      const owners = new Map<string, string>();
      const toMet = (): Met => ({ life: bus.life, count: bus.count(), id: copies.self.id, isReading });
      bulletin.on(EVENTS, ({ l, n, d, a }, from) => {
        owners.set(l, from);
        const message: PassedMessage = { life: l, number: n, data: d };
        bus.take(a === undefined ? message : { ...message, audience: a });
      });
      bulletin.on(MEET, (met, from) => {
        owners.set(met.life, from);
        if (met.isReading !== undefined) reading.set(from, met.isReading);
        bus.meet(met.life, met.count);
        return toMet();
      });
      bulletin.on(READING, ({ position }, from) => {
        reading.set(from, position !== null);
        if (position === null) return;
        const skipped = bus.after(position);
        if (skipped === null) bulletin.post(SKIPPED, { life: bus.life, count: bus.count() });
        else for (const message of skipped) bulletin.post(EVENTS, toPassed(message));
      });
      bulletin.on(SKIPPED, ({ life, count }) => bus.skip(life, count));
      bulletin.onGap(() => {
        reading.clear();
        bus.miss();
        void meet();
      });
      tellReading = () => {
        // A stream may move to another instance, which must not miss what was skipped before.
        if (isReading) bulletin.post(SKIPPED, { life: bus.life, count: bus.count() });
        bulletin.post(READING, { position: isReading ? bus.position() : null });
      };
      meet = async () => {
        const met = await bulletin.ask(MEET, toMet());
        for (const { life, count, id, isReading: readsThere } of met) {
          bus.meet(life, count);
          if (id !== undefined && readsThere !== undefined) reading.set(id, readsThere);
        }
      };
      forgetEnded = () => {
        checkedAt = performance.now();
        for (const [life, owner] of owners) {
          if (copies.isLiving(owner)) continue;
          owners.delete(life);
          reading.delete(owner);
          setTimeout(() => bus.forget(life), REMEMBERED_MS).unref();
        }
      };
    },
  };
  return { exchange, meet: () => meet() };
}

const toPassed = ({ life, number, data, audience }: PassedMessage): Passed => {
  const passed: Passed = { l: life, n: number, d: data };
  return audience === undefined ? passed : { ...passed, a: audience };
};
