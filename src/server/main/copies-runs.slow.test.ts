import { once } from "node:events";
import path from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import type { RunDetail } from "../../lib/contract/run";
import { waitUntil } from "../../lib/wait-until.test-support";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import type { Container } from "./container";
import { type ServerProcess, startServer } from "./spawn-server.test-support";
import { startInstances } from "./start-copies.test-support";

/** Longer than a busy machine keeps a process waiting. */
const TIMING = { renewMs: 200, lostMs: 5_000, staleMs: 4_000, settleMs: 1_000, pollMs: 500 };
const SETTINGS = { provider: "demo", model: "demo-1", instructions: "", tools: { mode: "all" as const } };
const WAIT = { timeoutMs: 60_000 };

async function startProcess(url: string): Promise<ServerProcess> {
  const server = await startServer({
    ...process.env,
    DATABASE_URL: url,
    TOOLROOM_SECRET_KEY: "the key of the tests of copies",
    TOOLROOM_CONFIG: path.resolve("config/toolroom.example.json"),
    TOOLROOM_LOG_LEVEL: "silent",
    TEST_COPY_TIMING: JSON.stringify(TIMING),
    PORT: "4341",
    npm_lifecycle_event: undefined,
  });
  onTestFinished(() => server.stop());
  return server;
}

const startRun = async (server: ServerProcess, text: string): Promise<string> =>
  (await server.call<{ id: string }>("runs.start", { settings: SETTINGS, text })).id;

const hasFinished = ({ events }: RunDetail, tool: string) =>
  events.some((event) => event.type === "tool_finished" && event.name === tool);

async function listCalls({ services }: Container, runId: string) {
  const { items } = await services.executions.list({}, undefined, 50);
  return items
    .filter((item) => item.runId === runId)
    .map(({ toolName, status }) => `${toolName} ${status}`)
    .sort();
}

describe.skipIf(!HAS_POSTGRES)("runs of an instance of the server that is killed", { timeout: 180_000 }, () => {
  it("AGT-11 AGT-05 are continued by another one, without a call that runs twice, and wait there for their approvals", async () => {
    const { copies, url } = await startInstances(1, { timing: TIMING });
    const [survivor] = copies as [Container];
    const { runs, approvals } = survivor.services;
    const killed = await startProcess(url);
    const running = await startRun(killed, 'echo {"message":"once"} and slow_report {"steps":60,"step_ms":60000}');
    const waiting = await startRun(killed, 'delete_report {"report":"2026-06"}');
    await waitUntil(async () => {
      const run = await runs.get(running);
      return hasFinished(run, "echo") && (await listCalls(survivor, running)).includes("slow_report running");
    }, WAIT);
    await waitUntil(async () => (await runs.get(waiting)).waiting === 1, WAIT);
    const ended = once(killed.child, "exit");
    killed.child.kill("SIGKILL");
    await ended;
    await waitUntil(async () => (await runs.get(running)).status === "succeeded", WAIT);
    expect(await listCalls(survivor, running)).toEqual(["echo succeeded", "slow_report interrupted"]);
    const { events } = await runs.get(running);
    expect(events.filter(({ type }) => type === "tool_finished")).toHaveLength(2);
    const open = async () => (await approvals.list("open", undefined, 10)).items;
    await waitUntil(async () => (await open())[0]?.detached === true, WAIT);
    expect((await runs.get(waiting)).status).toBe("waiting");
    const [request] = await open();
    await approvals.decide(LOCAL_PRINCIPAL, request?.executionId ?? "", { approved: true });
    await waitUntil(async () => (await runs.get(waiting)).status === "succeeded", WAIT);
    expect(await listCalls(survivor, waiting)).toEqual(["delete_report succeeded"]);
  });
});
