import { randomInt } from "node:crypto";
import type { PostgresRoute } from "../database";
import { DatabaseOpenError } from "../database-file";
import { describePostgresUrl } from "../describe-database";
import { isPooled } from "./client-config";
import { withPlainClient } from "./plain-client";
import { LOCK_SPACE } from "./postgres-sql";
import type { TextClient } from "./text-client";

/** The beginning of the numbers of locks that compare two addresses; the others are small. */
const COMPARED = 0x1000_0000;

/**
 * Asks the server how its connections behave.
 * @param directUrl of DATABASE_DIRECT_URL; null for none
 * @throws DatabaseOpenError where the direct address leads elsewhere, or through a pooler that keeps no sessions
 */
export async function findRoute(
  url: string,
  directUrl: string | null,
): Promise<{ route: PostgresRoute; version: string }> {
  return await withPlainClient(url, "start", async (client) => {
    const { rows } = await client.query<{ version: string }>("SELECT current_setting('server_version') AS version");
    const pooled = await isPooled(client);
    if (directUrl !== null) await demandDirect(client, directUrl);
    const route = { pooled, direct: directUrl !== null, sessions: !pooled || directUrl !== null };
    return { route, version: rows[0]?.version ?? "" };
  });
}

async function demandDirect(client: TextClient, directUrl: string): Promise<void> {
  const location = describePostgresUrl(directUrl);
  await withPlainClient(directUrl, "start", async (direct) => {
    if ((await isPooled(direct)) && (await isLentToOthers(direct, directUrl))) {
      throw new DatabaseOpenError(
        `DATABASE_DIRECT_URL leads to ${location} through a pooler in transaction mode. Name the PostgreSQL server itself there, or leave the variable out.`,
      );
    }
    const lock = `${LOCK_SPACE}, ${COMPARED + randomInt(COMPARED)}`;
    await direct.query(`SELECT pg_advisory_lock(${lock})`);
    const { rows } = await client.query<{ free: number }>(`SELECT pg_try_advisory_xact_lock(${lock}) AS free`);
    if (rows[0]?.free === 0) return;
    throw new DatabaseOpenError(
      `DATABASE_URL and DATABASE_DIRECT_URL (${location}) lead to different databases. Name the same database in both, on the primary server.`,
    );
  });
}

/** Whether another client gets the server's connection of this one, which is open. */
async function isLentToOthers(client: TextClient, url: string): Promise<boolean> {
  const { rows } = await client.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
  return await withPlainClient(url, "start", async (other) => {
    const { rows: found } = await other.query<{ pid: number }>("SELECT pg_backend_pid() AS pid");
    return found[0]?.pid === rows[0]?.pid;
  });
}
