import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { systemClock } from "../../create-tool-engine";
import { engineWith } from "../../engine/executor/executor.test-support";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { measureLongestPause } from "../../platform/shared/longest-pause.test-support";
import { createTestToolService } from "../tools/tool-service.test-support";
import { createServerStore } from "./db/server-store";
import { PLAIN_READERS, recordingConnections, testSecretBox } from "./server.test-support";
import { createServerService } from "./server-service";

/** The longest pause of the event loop: the work on one tool. */
const LONGEST_PAUSE_MS = 1000;

let scratch: ScratchDatabase;
beforeEach(async () => {
  scratch = await createScratchDatabase();
});
afterEach(() => scratch.remove());

async function start() {
  const engine = engineWith();
  const logger = recordingLogger();
  const tools = createTestToolService(engine, scratch.db, { logger });
  const servers = createServerService({
    ...PLAIN_READERS,
    connections: recordingConnections().connections,
    store: createServerStore({ db: scratch.db, secretBox: testSecretBox(), clock: systemClock }),
    getApproval: () => null,
    setServerTools: tools.setServerTools,
    schemaNotes: tools.schemaNotes,
    isSwitchedOff: tools.isSwitchedOff,
    forgetServerTools: tools.forgetServerTools,
    renameServerTools: tools.renameServerTools,
    configured: { entries: {}, path: "config/toolroom.json" },
    variables: {},
    maxStoredBytes: 4096,
    rootDir: process.cwd(),
    clock: systemClock,
    logger,
    publish: () => undefined,
  });
  await servers.load();
  return { engine, tools, servers };
}

function buildList(tools: number, parameters: number, version = 1): unknown[] {
  return Array.from({ length: tools }, (_, at) => ({
    name: `tool_${at}`,
    description: `Tool number ${at}`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: parameters }, (_, index) => [`p${index}`, { type: index % 2 ? "string" : "integer" }]),
      ),
      required: version === 1 ? [] : ["p0"],
    },
  }));
}

it.each([
  [500, 20],
  [60, 1000],
])(
  "REG-02 %i tools with %i parameters each are registered, compared, stored, loaded and listed in pieces",
  async (count, parameters) => {
    const first = await start();
    await first.servers.create(LOCAL_OWNER, { name: "many", transport: "stdio", command: "node" });
    const list = buildList(count, parameters);
    const again = buildList(count, parameters);
    const changed = buildList(count, parameters, 2);
    const pauses: Record<string, number> = {};
    const timed = async (what: string, work: () => unknown): Promise<void> => {
      pauses[what] = await measureLongestPause(work);
    };
    await timed("registered", () => first.servers.events.onTools("many", list));
    await timed("listed again", () => first.servers.events.onTools("many", again));
    await timed("changed", () => first.servers.events.onTools("many", changed));
    await timed("tools.list", () => JSON.stringify(first.tools.list()));
    await timed("servers.get", () => JSON.stringify(first.servers.get("many")));
    const usable = first.servers.get("many").toolCount;
    expect(usable).toBe(count);
    const second: { service?: Awaited<ReturnType<typeof start>> } = {};
    await timed("loaded", async () => {
      second.service = await start();
    });
    await timed("rest loaded", () =>
      second.service?.servers.explainMissing("many__none", new AbortController().signal),
    );
    expect(second.service?.tools.list().items).toHaveLength(usable);
    await timed("called", () => second.service?.engine.executor.execute("many__tool_0", { p0: "x" }));
    expect(await second.service?.engine.executor.execute("many__tool_0", { p0: "x" })).toMatchObject({
      error: "Invalid parameters: 'p0' must be integer",
    });
    for (const [what, pause] of Object.entries(pauses)) expect(pause, what).toBeLessThan(LONGEST_PAUSE_MS);
    await first.engine.close();
    await second.service?.engine.close();
  },
  120_000,
);
