import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { describe, expect, it, onTestFinished } from "vitest";
import { waitUntil } from "../../../../lib/wait-until.test-support";
import { recordingLogger } from "../../../engine/recording-logger.test-support";
import { quietLogger } from "../database.test-support";
import { claimDatabase, openDatabase } from "../open-database";
import { change } from "../sql";
import { administer, createPostgresDatabase, HAS_POSTGRES } from "./scratch-postgres.test-support";

async function createDatabase(): Promise<string> {
  const { url, remove } = await createPostgresDatabase({ migrated: true });
  onTestFinished(remove);
  return url;
}

/** As a server that is stopped, or a network that breaks: every connection to the database ends. */
const cutConnections = (url: string) =>
  administer(
    url,
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()",
  );

const ADDRESS = "http://127.0.0.1:3000";

describe.skipIf(!HAS_POSTGRES)("the processes of a database on PostgreSQL", () => {
  it("is shared by servers; a command is told where all of them serve, and has it alone after them", async () => {
    const url = await createDatabase();
    const first = await claimDatabase(url, ADDRESS, quietLogger());
    onTestFinished(() => first.release());
    const second = await claimDatabase(url, "http://127.0.0.1:3001", quietLogger());
    onTestFinished(() => second.release());
    expect(second.isShared).toBe(true);
    await expect(claimDatabase(url, null, quietLogger())).rejects.toThrow(
      /^The database postgresql:\/\/127\.0\.0\.1:\d+\/\w+ is in use by the Toolroom at http:\/\/127\.0\.0\.1:3000, http:\/\/127\.0\.0\.1:3001, and this command needs it alone/,
    );
    await Promise.all([first.release(), second.release()]);
    const command = await claimDatabase(url, null, quietLogger());
    onTestFinished(() => command.release());
    await expect(claimDatabase(url, ADDRESS, quietLogger())).rejects.toThrow(
      /in use by another Toolroom command\. Wait/,
    );
  });

  it("refuses writes with a sentence while its connection is lost, and goes on by itself", async () => {
    const url = await createDatabase();
    const logger = recordingLogger();
    const claim = await claimDatabase(url, ADDRESS, logger);
    const db = await openDatabase({ url, logger, claim });
    onTestFinished(async () => {
      await db.close();
      await claim.release();
    });
    const write = () =>
      db.change('INSERT INTO "Setting" (key, value, "updatedAt") VALUES (?, ?, 0) ON CONFLICT DO NOTHING', "k", "v");
    let told = 0;
    db.watch.onProblem(() => {
      told += 1;
    });
    await write();
    await cutConnections(url);
    await waitUntil(() => told > 0);
    await waitUntil(() => db.watch.problem() === null);
    expect(told).toBe(2);
    expect(await write()).toBe(0);
    expect(logger.lines.map(({ message }) => message)).toContain(
      "The connection to the database was lost. Calls are refused",
    );
  });

  it("refuses writes as long as a command has the database", async () => {
    const url = await createDatabase();
    const claim = await claimDatabase(url, ADDRESS, quietLogger());
    const db = await openDatabase({ url, logger: quietLogger(), claim });
    onTestFinished(async () => {
      await db.close();
      await claim.release();
    });
    // Another process is faster than the first one's next attempt.
    await cutConnections(url);
    const other = await waitForClaim(url);
    await waitUntil(() => db.watch.problem()?.includes("in use by another Toolroom command") === true);
    await expect(db.change('DELETE FROM "Setting"')).rejects.toMatchObject({ code: "UNAVAILABLE" });
    await expect(db.prisma.setting.count()).resolves.toBe(0);
    await other.release();
    await waitUntil(() => db.watch.problem() === null);
  });

  it("tells a request clearly that the server cannot be reached", async () => {
    const way = await openWay(await createDatabase());
    const db = await openDatabase({ url: way.url, logger: quietLogger() });
    onTestFinished(() => db.close());
    await expect(db.prisma.setting.count()).resolves.toBe(0);
    await way.close();
    const refused = { code: "UNAVAILABLE", message: expect.stringContaining("cannot be reached at the moment") };
    await expect(db.prisma.setting.count()).rejects.toMatchObject(refused);
    await expect(db.prisma.$transaction([db.prisma.setting.deleteMany()])).rejects.toMatchObject(refused);
    await expect(db.rows("SELECT 1")).rejects.toMatchObject(refused);
    await expect(db.change('DELETE FROM "Setting"')).rejects.toMatchObject(refused);
    await expect(db.transaction(() => change('DELETE FROM "Setting"'))).rejects.toMatchObject(refused);
    await way.open();
    await expect(db.prisma.setting.count()).resolves.toBe(0);
  });
});

/** A way to the server that can be closed, which a server that is stopped looks like. */
async function openWay(url: string) {
  const target = new URL(url);
  const { hostname, port: targetPort } = target;
  const sockets = new Set<Socket>();
  const way = createServer((near) => {
    const far = connect(Number(targetPort), hostname);
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on("error", () => undefined).on("close", () => sockets.delete(socket));
    }
    near.pipe(far).pipe(near);
  });
  const listen = (port: number) => new Promise<void>((resolve) => way.listen(port, "127.0.0.1", resolve));
  const close = async (): Promise<void> => {
    const closed = new Promise((resolve) => way.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  await listen(0);
  onTestFinished(close);
  const { port } = way.address() as AddressInfo;
  target.port = String(port);
  return { url: target.href, close, open: () => listen(port) };
}

async function waitForClaim(url: string) {
  const deadline = performance.now() + 15_000;
  for (;;) {
    try {
      return await claimDatabase(url, null, quietLogger());
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
  }
}
