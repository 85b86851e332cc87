import { expect, test } from "@playwright/test";
import { authorize } from "./support/accounts";
import { callApi, runTool } from "./support/api";
import { launchServer } from "./support/server";

interface Row {
  id: string;
  status: string;
}

async function allRows(url: string): Promise<Row[]> {
  const rows: Row[] = [];
  let cursor: number | null | undefined;
  do {
    const page: { items: Row[]; nextCursor: number | null } = await callApi(
      url,
      "executions.list",
      { filter: {}, limit: 200, ...(cursor ? { cursor } : {}) },
      "GET",
    );
    rows.push(...page.items);
    cursor = page.nextCursor;
  } while (cursor !== null);
  return rows;
}

test("EXE-06 a server killed during 50 concurrent executions has every acknowledged one after the restart, and none is running", async () => {
  test.setTimeout(90_000);
  const first = await launchServer();
  try {
    // The slow calls of the lanes end together, so one of its own is surely under way when the server dies.
    const long = await runTool(first.url, "slow_report", { steps: 60, step_ms: 1000 }, { waitMs: 50 });
    expect(long.status).toBe("running");
    const acknowledged: string[] = [];
    let going = true;
    const lanes = Array.from({ length: 50 }, async (_, lane) => {
      while (going) {
        const slow = lane % 2 === 0;
        const ran = slow
          ? await runTool(first.url, "slow_report", { steps: 20, step_ms: 100 })
          : await runTool(first.url, "echo", { message: lane });
        acknowledged.push(ran.id);
      }
    });
    const ended = Promise.allSettled(lanes);
    await expect.poll(() => acknowledged.length, { timeout: 20_000 }).toBeGreaterThan(100);
    await first.kill();
    going = false;
    await ended;
    const second = await launchServer({ databaseFile: first.databaseFile });
    try {
      // Where several copies may use a database, a copy that was killed is missed after some seconds only.
      await expect
        .poll(async () => (await allRows(second.url)).find(({ id }) => id === long.id)?.status, { timeout: 30_000 })
        .toBe("interrupted");
      const rows = new Map((await allRows(second.url)).map((row) => [row.id, row.status]));
      expect(acknowledged.filter((id) => rows.get(id) !== "succeeded")).toEqual([]);
      expect([...rows.values()].filter((status) => status === "running")).toEqual([]);
      expect(rows.get(long.id)).toBe("interrupted");
    } finally {
      await second.dispose();
    }
  } finally {
    await first.dispose();
  }
});

test("TIME-03 SIGTERM lets a quick call end, records a slow one as interrupted, ends open streams and exits with 0", async () => {
  const server = await launchServer({ env: { TOOLROOM_SHUTDOWN_GRACE_MS: "500" } });
  try {
    const stream = await fetch(`${server.url}/api/live`, {
      headers: { accept: "text/event-stream", ...authorize(server.url) },
    });
    const streamEnded = stream.text();
    const slow = await runTool(server.url, "slow_report", { steps: 60, step_ms: 1000 }, { waitMs: 50 });
    expect(slow.status).toBe("running");
    const quick = runTool(server.url, "slow_report", { steps: 1, step_ms: 200 });
    await expect
      .poll(
        async () =>
          (await callApi<{ items: Row[] }>(server.url, "executions.list", { filter: {}, limit: 10 }, "GET")).items
            .length,
      )
      .toBe(2);
    expect(await server.stop()).toBe(0);
    expect((await quick).status).toBe("succeeded");
    await streamEnded;
    const again = await launchServer({ databaseFile: server.databaseFile });
    try {
      expect(await callApi<Row>(again.url, "executions.get", { id: slow.id }, "GET")).toMatchObject({
        status: "interrupted",
      });
    } finally {
      await again.dispose();
    }
  } finally {
    await server.dispose();
  }
});

test("TIME-03 a server that drains says so to balancers and serves everything, until the time is over or a second signal comes", async () => {
  const server = await launchServer({ env: { TOOLROOM_DRAIN_SECONDS: "600" } });
  try {
    const readiness = async () => (await fetch(`${server.url}/readyz`)).status;
    expect(await readiness()).toBe(200);
    server.signal("SIGTERM");
    await expect.poll(readiness).toBe(503);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
    expect((await runTool(server.url, "slow_report", { steps: 1, step_ms: 1 })).status).toBe("succeeded");
    expect(server.hasEnded()).toBe(false);
    expect(await server.stop()).toBe(0);
  } finally {
    await server.dispose();
  }
});
