/** What 64 users, clients and agents do on copies that come and go, and what must be true of it afterwards. */
import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import pg from "pg";
import { callApi } from "./api";
import type { Ledger } from "./copies-ledger";

/** A caller that hears nothing for so long asks again, with another text. */
const PATIENCE_MS = 20_000;
const RUN_LIMIT_MS = 180_000;
const PAUSE_MS = 50;
const SETTLED_MS = 30_000;

export interface LoadCounts {
  /** Clients of the newer protocol, of the older one, users, approvals, runs. */
  lanes: { newer: number; older: number; people: number; approvals: number; runs: number };
  /** What a call takes at the ledger. */
  callMs: number;
}

export const LOAD_OF_64: LoadCounts = {
  lanes: { newer: 24, older: 16, people: 12, approvals: 6, runs: 6 },
  callMs: 20,
};

interface Found {
  /** What was answered as done: the texts. */
  acknowledged: string[];
  /** Attempts that ended in an error; a caller may try again. */
  refused: Map<string, number>;
  /** How long each attempt of a client or user took until its answer or error, in milliseconds. */
  times: number[];
  /** By execution: how many deciders were told that theirs counted. */
  decisions: Map<string, number>;
  runs: string[];
  problems: string[];
}

const shorten = (error: unknown): string =>
  String(error instanceof Error ? error.message : error)
    .split("\n")[0]
    ?.replace(/[0-9a-f-]{36}|exec_\S+|run_\S+/g, "…")
    .slice(0, 120) ?? "";

/** Adds the ledger as a server and as a model. */
export async function prepareLoad(url: string, ledger: Ledger): Promise<void> {
  const settings = { name: "ledger", transport: "http", url: ledger.mcpUrl };
  await callApi(url, "servers.create", { settings });
  const provider = { name: "prover", kind: "openai-compatible", baseUrl: ledger.modelUrl, models: ["m"], prices: [] };
  await callApi(url, "models.createProvider", { provider });
}

/** Whether a copy offers the ledger's tools. */
export async function hasTools(instanceUrl: string): Promise<boolean> {
  const { items } = await callApi<{ items: { name: string }[] }>(instanceUrl, "tools.list", {}, "GET");
  return items.some(({ name }) => name === "ledger__note");
}

export function startLoad(url: string, { lanes, callMs }: LoadCounts) {
  const stopping = new AbortController();
  const found: Found = {
    acknowledged: [],
    refused: new Map(),
    times: [],
    decisions: new Map(),
    runs: [],
    problems: [],
  };
  const refuse = (kind: string, error: unknown): void => {
    const key = `${kind}: ${shorten(error)}`;
    found.refused.set(key, (found.refused.get(key) ?? 0) + 1);
  };
  const patience = () => AbortSignal.timeout(PATIENCE_MS);

  async function lane(work: (round: number) => Promise<void>): Promise<void> {
    for (let round = 0; !stopping.signal.aborted; round += 1) {
      await work(round);
      await sleep(PAUSE_MS);
    }
  }

  async function callTools(kind: "newer" | "older"): Promise<void> {
    const held: { client: Client | null } = { client: null };
    await lane(async () => {
      const text = `${kind}-${randomUUID()}`;
      const begunAt = performance.now();
      try {
        if (held.client === null) {
          const made = new Client(
            { name: `prover-${kind}`, version: "1" },
            { versionNegotiation: { mode: kind === "newer" ? "auto" : "legacy" } },
          );
          await made.connect(new StreamableHTTPClientTransport(new URL("/mcp", url)), {
            signal: patience(),
            timeout: PATIENCE_MS,
          });
          held.client = made;
        }
        const result = await held.client.callTool(
          { name: "ledger__note", arguments: { text, ms: callMs } },
          { signal: patience(), timeout: PATIENCE_MS },
        );
        if (result.isError === true) refuse(kind, JSON.stringify(result.content));
        else found.acknowledged.push(text);
      } catch (error) {
        refuse(kind, error);
        if (/404|session not found/i.test(String(error)))
          found.problems.push(`A client of the ${kind} protocol lost its session: ${shorten(error)}`);
        // A newer client holds nothing; an older one keeps its session, which must outlive its copy.
        if (kind === "newer") held.client = null;
      } finally {
        found.times.push(performance.now() - begunAt);
      }
    });
    await held.client?.close().catch(() => undefined);
  }

  const asUser = () =>
    lane(async () => {
      const text = `person-${randomUUID()}`;
      const begunAt = performance.now();
      try {
        const argumentsText = JSON.stringify({ text, ms: callMs });
        const { status } = await within(
          callApi<{ status: string }>(url, "executions.run", { name: "ledger__note", argumentsText }),
        );
        if (status === "succeeded") found.acknowledged.push(text);
        else refuse("person", status);
      } catch (error) {
        refuse("person", error);
      } finally {
        found.times.push(performance.now() - begunAt);
      }
    });

  const asApprover = () =>
    lane(async () => {
      const text = `approved-${randomUUID()}`;
      const argumentsText = JSON.stringify({ text, ms: callMs });
      const called = within(
        callApi<{ status: string }>(url, "executions.run", { name: "ledger__purge", argumentsText }),
      ).then(
        ({ status }) => (status === "succeeded" ? found.acknowledged.push(text) : refuse("approved call", status)),
        (error: unknown) => refuse("approved call", error),
      );
      try {
        const executionId = await findRequest(url, text);
        if (executionId !== null) {
          const decision = { approved: true, confirmed: true };
          const decide = () =>
            within(callApi<{ decided: boolean }>(url, "approvals.decide", { executionId, decision }));
          const outcomes = await Promise.allSettled([decide(), decide()]);
          const won = outcomes.filter((each) => each.status === "fulfilled" && each.value.decided).length;
          found.decisions.set(executionId, won);
          for (const each of outcomes) if (each.status === "rejected") refuse("decision", each.reason);
        }
      } catch (error) {
        refuse("approval", error);
      }
      await called;
    });

  const asAgent = () =>
    lane(async () => {
      const key = `run-${randomUUID()}`;
      try {
        const settings = { provider: "prover", model: "m", tools: { mode: "all" } };
        const { id } = await within(callApi<{ id: string }>(url, "runs.start", { settings, text: `${key} 6` }));
        found.runs.push(id);
        const until = Date.now() + RUN_LIMIT_MS;
        for (;;) {
          await sleep(500);
          const state = await within(callApi<{ status: string }>(url, "runs.get", { id }, "GET")).catch(() => null);
          if (state !== null && !["running", "waiting"].includes(state.status)) return;
          if (Date.now() > until) return void found.problems.push(`A run did not end within ${RUN_LIMIT_MS} ms: ${id}`);
        }
      } catch (error) {
        refuse("run", error);
      }
    });

  const times = (count: number, work: () => Promise<void>) => Array.from({ length: count }, work);
  const all = Promise.all([
    ...times(lanes.newer, () => callTools("newer")),
    ...times(lanes.older, () => callTools("older")),
    ...times(lanes.people, asUser),
    ...times(lanes.approvals, asApprover),
    ...times(lanes.runs, asAgent),
  ]);
  return {
    found: found as Readonly<Found>,
    async stop(): Promise<void> {
      stopping.abort();
      await all;
    },
  };
}

async function within<T>(work: Promise<T>): Promise<T> {
  const late = new AbortController();
  try {
    return await Promise.race([
      work,
      sleep(PATIENCE_MS, undefined, { signal: late.signal }).then(() => Promise.reject(new Error("no answer in time"))),
    ]);
  } finally {
    late.abort();
  }
}

/** The call's request for approval; null where its call was refused. */
async function findRequest(url: string, text: string): Promise<string | null> {
  const until = Date.now() + PATIENCE_MS;
  while (Date.now() < until) {
    const page = await within(
      callApi<{ items: { executionId: string; argumentsText: string }[] }>(
        url,
        "approvals.list",
        { status: "open", limit: 200 },
        "GET",
      ),
    ).catch(() => ({ items: [] }));
    const mine = page.items.find((item) => item.argumentsText.includes(text));
    if (mine !== undefined) return mine.executionId;
    await sleep(200);
  }
  return null;
}

/** Approvals whose callers and deciders a disturbance took away are decided by somebody later. */
async function decideTheRest(url: string): Promise<void> {
  for (;;) {
    const { items } = await callApi<{ items: { executionId: string }[] }>(
      url,
      "approvals.list",
      { status: "open", limit: 200 },
      "GET",
    );
    if (items.length === 0) return;
    for (const { executionId } of items) {
      await callApi(url, "approvals.decide", { executionId, decision: { approved: true, confirmed: true } });
    }
  }
}

/** Ends the callers. @returns what is wrong, in sentences; empty where everything holds */
export async function endLoad(
  { url, database }: { url: string; database: { url: string } },
  ledger: Ledger,
  load: ReturnType<typeof startLoad>,
): Promise<string[]> {
  await load.stop();
  await decideTheRest(url);
  return await checkLedger(database.url, ledger, load.found);
}

async function checkLedger(databaseUrl: string, { counts }: Ledger, found: Readonly<Found>): Promise<string[]> {
  const problems = [...found.problems];
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const count = async (sql: string): Promise<number> =>
      Number((await client.query(`SELECT count(*) FROM ${sql}`)).rows[0].count);
    const until = Date.now() + SETTLED_MS;
    while (Date.now() < until && (await count(`"Execution" WHERE status IN ('running', 'waiting')`)) > 0)
      await sleep(500);
    const expectNone = async (what: string, sql: string): Promise<void> => {
      const number = await count(sql);
      if (number > 0) problems.push(`${number} ${what}`);
    };
    await expectNone("calls are still running or waiting", `"Execution" WHERE status IN ('running', 'waiting')`);
    await expectNone("approvals are still open", `"Approval" WHERE status = 'open'`);
    const unfinished = await client.query<{ said: string }>(
      `SELECT id || ' ' || status || ': ' || coalesce(error, '') AS said FROM "Run" WHERE status <> 'succeeded'`,
    );
    for (const { said } of unfinished.rows) problems.push(`A run has not succeeded: ${said}`);
    await expectNone(
      "runs have a gap or an extra event",
      `(SELECT "runId" FROM "RunEvent" GROUP BY "runId" HAVING max("index") + 1 <> count(*) OR count(*) FILTER (WHERE type = 'turn_ended') <> 1) AS odd`,
    );
    const { rows } = await client.query<{ text: string; status: string }>(
      `SELECT "arguments"::json->>'text' AS text, status FROM "Execution" WHERE "toolName" LIKE 'ledger%'`,
    );
    const stored = new Map<string, string[]>();
    for (const { text, status } of rows) stored.set(text, [...(stored.get(text) ?? []), status]);
    const missing = found.acknowledged.filter((text) => !stored.get(text)?.includes("succeeded"));
    if (missing.length > 0)
      problems.push(`${missing.length} acknowledged calls are not stored as succeeded: ${missing[0]}`);
    const doubled = [...stored].filter(([, statuses]) => statuses.length > 1);
    if (doubled.length > 0) problems.push(`${doubled.length} calls are stored twice: ${doubled[0]?.join(" ")}`);
    const repeated = [...counts].filter(([, number]) => number > 1);
    if (repeated.length > 0) problems.push(`${repeated.length} calls had their effect twice: ${repeated[0]?.[0]}`);
    const without = found.acknowledged.filter((text) => !counts.has(text));
    if (without.length > 0) problems.push(`${without.length} acknowledged calls had no effect: ${without[0]}`);
    const unstored = [...counts.keys()].filter((text) => !stored.has(text));
    if (unstored.length > 0) problems.push(`${unstored.length} effects have no row: ${unstored[0]}`);
    const contested = [...found.decisions.values()].filter((won) => won > 1).length;
    if (contested > 0) problems.push(`${contested} approvals were decided twice`);
  } finally {
    await client.end();
  }
  return problems;
}
