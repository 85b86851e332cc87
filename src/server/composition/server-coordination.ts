import type { ChangeTopic } from "../coordination/change-feed";
import { type Coordination, createCoordination } from "../coordination/coordination";
import type { EventBus } from "../coordination/event-bus";
import { systemClock } from "../create-tool-engine";
import type { Database } from "../db/database";
import { createCoordinationStorage } from "../db/sqlite/coordination/coordination-storage";
import { createOrphanStore } from "../db/sqlite/executions/orphan-store";
import type { Logger } from "../engine/ports";
import { interruptOrphans } from "../features/executions/interrupt-orphans";

/** How often what processes that died were doing are looked for. */
export const SWEEP_MS = 30_000;

export interface ServerCoordination {
  coordination: Coordination;
  /** Tells other copies of the server that something changed. Never rejects. */
  record: (topic: ChangeTopic, key?: string) => Promise<void>;
  /** The calls that ended processes had left running. */
  interrupted: string[];
}

/** Joins the other copies of the server on this database, and ends what dead ones left running, now and later. */
export async function joinServers(db: Database, live: EventBus, logger: Logger): Promise<ServerCoordination> {
  const storage = createCoordinationStorage(db, systemClock);
  const coordination = createCoordination({ storage, clock: systemClock, logger });
  const { changes, instances, jobs } = coordination;
  await coordination.join();
  const record = (topic: ChangeTopic, key: string | null = null): Promise<void> =>
    changes.record(topic, key).catch((error: unknown) => {
      logger.warn({ err: error, topic }, "Couldn't notify other server processes of a change");
    });
  const orphans = createOrphanStore(db);
  const onInterrupted = (): void => live.publish({ type: "reset" });
  jobs.repeat("executions.sweep", SWEEP_MS, async () => {
    if ((await interruptOrphans({ orphans, instances, logger })).length === 0) return;
    onInterrupted();
    await record("executions");
  });
  changes.subscribe("executions", onInterrupted);
  coordination.activity.subscribe(live.publish);
  return { coordination, record, interrupted: await interruptOrphans({ orphans, instances, logger }) };
}
