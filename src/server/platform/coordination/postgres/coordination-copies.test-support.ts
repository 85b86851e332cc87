import { randomUUID } from "node:crypto";
import { onTestFinished } from "vitest";
import { quietLogger } from "../../db/database.test-support";
import { openPostgres } from "../../db/postgres/postgres-database";
import { createPostgresDatabase } from "../../db/postgres/scratch-postgres.test-support";
import { createCallRegistry } from "../coordination";
import type { InstanceTiming } from "./instance-timing";
import { createPostgresCoordination } from "./postgres-coordination";

export type TestInstance = Awaited<ReturnType<typeof createPostgresCoordination>>;

/** No instance is lost, however busy the machine is. */
export const STEADY: Partial<InstanceTiming> = {
  renewMs: 200,
  lostMs: 120_000,
  staleMs: 60_000,
  settleMs: 500,
  pollMs: 300,
};
/** Instances that miss each other within seconds. */
export const QUICK: Partial<InstanceTiming> = { ...STEADY, renewMs: 100, lostMs: 2_500, staleMs: 1_500 };

/** For tests: the coordination of several instances in this process, on one database; they end with the test. */
export async function openInstances(count: number, timing: Partial<InstanceTiming> = STEADY) {
  const { url, remove } = await createPostgresDatabase({ migrated: true });
  const logger = quietLogger();
  const closings: (() => Promise<void>)[] = [];
  onTestFinished(async () => {
    await Promise.all(closings.map((close) => close()));
    await remove();
  });

  async function open(more: Partial<InstanceTiming> = {}, databaseUrl = url): Promise<TestInstance> {
    const db = await openPostgres({ url: databaseUrl, logger });
    const self = {
      id: `inst_${randomUUID()}`,
      name: `copy-${closings.length + 1}:3000`,
      address: null,
      version: "1.0.0",
      startedAt: Date.now(),
      isDraining: false,
    };
    const copy = await createPostgresCoordination({
      self,
      db,
      logger,
      ownCalls: createCallRegistry(),
      timing: { ...timing, ...more },
    });
    closings.push(async () => {
      await copy.locks.close().catch(() => undefined);
      await copy.copies.close();
      await db.close();
    });
    return copy;
  }

  const copies: TestInstance[] = [];
  for (let at = 0; at < count; at += 1) copies.push(await open());
  return { copies, url, open };
}
