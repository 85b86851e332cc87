import { mkdirSync } from "node:fs";
import path from "node:path";
import type { Logger } from "../engine/ports";
import { databaseFilePath, describeOpenError } from "./database-file";
import { PrismaClient } from "./generated/client";
import { openFileFactory, type RawDatabase } from "./sqlite/connection";
import { prepareConnection } from "./sqlite/pragmas";
import { createWriteQueue, untilUnlocked, type WriteQueue } from "./write-queue";

export interface Database {
  readonly prisma: PrismaClient;
  /** The connection that Prisma uses too. Reads at any time; writes only inside `write`. */
  readonly raw: RawDatabase;
  readonly filePath: string;
  write: WriteQueue["write"];
  /** Waits for queued writes, then closes. A second call does nothing. */
  close(): Promise<void>;
}

export interface OpenDatabaseOptions {
  /** `file:` and a path. */
  url: string;
  logger: Logger;
  /** How long a write waits for another program's lock, in milliseconds. */
  maxLockWaitMs?: number;
}

/** Opens a migrated database. Throws `DatabaseOpenError` with a reason for people. */
export async function openDatabase({ url, logger, maxLockWaitMs }: OpenDatabaseOptions): Promise<Database> {
  const filePath = databaseFilePath(url);
  const { prisma, raw } = await connect(filePath);
  const queue = createWriteQueue(maxLockWaitMs);
  let closing: Promise<void> | null = null;
  logger.debug({ database: filePath }, "Database opened");
  return {
    prisma,
    raw,
    filePath,
    write: queue.write,
    close() {
      closing ??= queue.idle().then(() => prisma.$disconnect());
      return closing;
    },
  };
}

async function connect(filePath: string): Promise<{ prisma: PrismaClient; raw: RawDatabase }> {
  let raw: RawDatabase | undefined;
  try {
    mkdirSync(path.dirname(filePath), { recursive: true });
    const factory = openFileFactory(filePath, (handle) => {
      raw = handle;
    });
    const prisma = new PrismaClient({ adapter: factory });
    await prisma.$connect();
    if (raw === undefined) throw new Error("Prisma connected without opening the database.");
    const handle = raw;
    await untilUnlocked(() => prepareConnection(handle));
    return { prisma, raw: handle };
  } catch (error) {
    if (raw?.open) raw.close();
    throw describeOpenError(error, filePath);
  }
}
