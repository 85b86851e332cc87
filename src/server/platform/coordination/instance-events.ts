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
}

const EVENTS = createTopic<Passed>("e");
const MEET = createTopic<Met, Met>("events.meet");
const CHECK_MS = 30_000;
/** A tab of an instance that ended comes back to another one within seconds. */
const REMEMBERED_MS = 60_000;

/** Passes live events on to the streams of other instances. @returns what joins the bus, and `meet`, for the start */
export function createInstanceEvents(bulletin: Bulletin, copies: Pick<Instances, "isLiving">) {
  let meet: () => Promise<void> = async () => undefined;
  let forgetEnded = (): void => undefined;
  let checkedAt = 0;
  const exchange: EventExchange = {
    pass({ life, number, data, audience }) {
      bulletin.post(EVENTS, { l: life, n: number, d: data, ...(audience && { a: audience }) });
      if (performance.now() - checkedAt > CHECK_MS) forgetEnded();
    },
    join(bus) {
      /** The owning instances, by the life of their bus. */
      const owners = new Map<string, string>();
      bulletin.on(EVENTS, ({ l, n, d, a }, from) => {
        owners.set(l, from);
        const message: PassedMessage = { life: l, number: n, data: d };
        bus.take(a === undefined ? message : { ...message, audience: a });
      });
      bulletin.on(MEET, ({ life, count }, from) => {
        owners.set(life, from);
        bus.meet(life, count);
        return { life: bus.life, count: bus.count() };
      });
      bulletin.onGap(() => bus.miss());
      meet = async () => {
        const met = await bulletin.ask(MEET, { life: bus.life, count: bus.count() });
        for (const { life, count } of met) bus.meet(life, count);
      };
      forgetEnded = () => {
        checkedAt = performance.now();
        for (const [life, owner] of owners) {
          if (copies.isLiving(owner)) continue;
          owners.delete(life);
          setTimeout(() => bus.forget(life), REMEMBERED_MS).unref();
        }
      };
    },
  };
  return { exchange, meet: () => meet() };
}
