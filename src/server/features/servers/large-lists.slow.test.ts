import { afterEach, beforeEach, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { systemClock } from "../../create-tool-engine";
import { engineWith } from "../../engine/executor/executor.test-support";
import { recordingLogger } from "../../engine/recording-logger.test-support";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createTestToolService } from "../tools/tool-service.test-support";
import { createServerStore } from "./db/server-store";
import { PLAIN_READERS, recordingConnections, testSecretBox } from "./server.test-support";
import { createServerService } from "./server-service";

/** Work that takes less may be one piece. */
const ONE_PIECE_MS = 1000;

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
    ...{ getApproval: () => null },
    ...{ setServerTools: tools.setServerTools, schemaNotes: tools.schemaNotes, isSwitchedOff: tools.isSwitchedOff },
    ...{ forgetServerTools: tools.forgetServerTools, renameServerTools: tools.renameServerTools },
    configured: { entries: {}, path: "config/toolroom.json" },
    ...{ variables: {}, maxStoredBytes: 4096, rootDir: process.cwd(), clock: systemClock, logger },
    publish: () => undefined,
  });
  await servers.load();
  return { engine, tools, servers };
}

/** The longest time that nothing else could run in, as a part of the whole: on a busy machine both grow. */
async function measurePieces(work: () => unknown): Promise<{ longest: number; total: number }> {
  let longest = 0;
  let last = performance.now();
  const startedAt = last;
  const look = () => {
    longest = Math.max(longest, performance.now() - last);
    last = performance.now();
  };
  const watch = setInterval(look, 5);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  look();
  clearInterval(watch);
  return { longest, total: last - startedAt };
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
  [1000, 20],
  [300, 1000],
])(
  "REG-02 %i tools with %i parameters each are registered, compared, stored, loaded and listed in pieces",
  async (count, parameters) => {
    const first = await start();
    await first.servers.create(LOCAL_OWNER, { name: "many", transport: "stdio", command: "node" });
    const [list, again, changed] = [
      buildList(count, parameters),
      buildList(count, parameters),
      buildList(count, parameters, 2),
    ];
    const works: Record<string, { longest: number; total: number }> = {};
    const timed = async (what: string, work: () => unknown): Promise<void> => {
      works[what] = await measurePieces(work);
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
    for (const [what, { longest, total }] of Object.entries(works)) {
      expect(longest, what).toBeLessThan(Math.max(ONE_PIECE_MS, total / 2));
    }
    await first.engine.close();
    await second.service?.engine.close();
  },
  120_000,
);
