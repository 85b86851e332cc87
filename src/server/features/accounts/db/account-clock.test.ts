import { describe, expect, it, onTestFinished } from "vitest";
import type { Database } from "../../../platform/db/database";
import { createScratchDatabase } from "../../../platform/db/database.test-support";
import { createScratchPostgres, HAS_POSTGRES } from "../../../platform/db/postgres/scratch-postgres.test-support";
import { createAccountStore } from "./account-store";

const DAY_MS = 24 * 3_600_000;
const AHEAD_MS = 8 * 3_600_000;
const NOW = Date.UTC(2027, 0, 12, 9);

async function expectLifetimes(db: Database): Promise<void> {
  const { user, session, accountLink, apiToken } = db.prisma;
  const at = new Date(NOW);
  const person = { id: "ada", name: "Ada", email: "ada@example.org", role: "admin", createdAt: at, updatedAt: at };
  await user.create({ data: person as never });
  const times = (createdAt: number, lifeMs: number) => ({
    createdAt: new Date(createdAt),
    expiresAt: new Date(createdAt + lifeMs),
  });
  const open = (id: string, createdAt: number) =>
    session.create({ data: { id, token: id, userId: "ada", updatedAt: at, ...times(createdAt, 30 * DAY_MS) } });
  await open("ahead", NOW + AHEAD_MS);
  await open("earlier", NOW - DAY_MS);
  const link = { kind: "reset", creatorId: "ada", creatorName: "Ada" };
  const made = NOW + AHEAD_MS;
  await accountLink.create({
    data: { ...link, tokenHash: "ahead", createdAt: BigInt(made), expiresAt: BigInt(made + DAY_MS) },
  });
  await createAccountStore({ db }).keepWithinLifetime(NOW);
  const ends = Object.fromEntries((await session.findMany()).map(({ id, expiresAt }) => [id, expiresAt.getTime()]));
  expect(ends).toEqual({ ahead: NOW + 30 * DAY_MS, earlier: NOW - DAY_MS + 30 * DAY_MS });
  expect(Number((await accountLink.findFirstOrThrow()).expiresAt)).toBe(NOW + DAY_MS);
  expect(await apiToken.count()).toBe(0);
}

describe("what was created while the clock was ahead ends as if it was created now, and the rest as before", () => {
  it("on SQLite", async () => {
    const scratch = await createScratchDatabase();
    onTestFinished(scratch.remove);
    await expectLifetimes(scratch.db);
  });

  it.skipIf(!HAS_POSTGRES)("on PostgreSQL", async () => {
    const scratch = await createScratchPostgres();
    onTestFinished(scratch.remove);
    await expectLifetimes(scratch.db);
  });
});
