import { afterEach, expect, it } from "vitest";
import { LOCAL_OWNER } from "../../../lib/contract/actor";
import { createToolEngine, silentLogger } from "../../create-tool-engine";
import { createScratchDatabase, type ScratchDatabase } from "../../platform/db/database.test-support";
import { createTestToolService } from "./tool-service.test-support";

let scratch: ScratchDatabase | undefined;
afterEach(() => scratch?.remove());

async function startCatalog() {
  scratch = await createScratchDatabase();
  const { raw } = scratch.db;
  const engine = createToolEngine({ logger: silentLogger });
  const tools = createTestToolService(engine, scratch.db);
  const limitPages = (pages: number) => raw.pragma(`max_page_count = ${pages}`);
  return {
    tools,
    fillDisk: () => limitPages(Number(raw.pragma("page_count", { simple: true }))),
    freeSpace: () => limitPages(1_000_000),
    setReadOnly: (on: boolean) => raw.pragma(`query_only = ${on ? 1 : 0}`),
  };
}

/** Longer than the free part of any page. */
const buildDefinition = (name: string): string =>
  JSON.stringify({
    name,
    handler: name,
    type: "function",
    description: "Answers with a fixed text. ".repeat(4000),
    parameters: { type: "object", properties: {} },
    implementation: { type: "mock", mock_response: "ok" },
  });

it("ERR-01 creating a tool on a full disk says so and leaves nothing behind; with space it succeeds", async () => {
  const { tools, fillDisk, freeSpace } = await startCatalog();
  fillDisk();
  const refused = tools.create(LOCAL_OWNER, buildDefinition("report"));
  await expect(refused).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringMatching(/^The disk is full, so nothing was saved\. Free some space/),
  });
  expect(tools.list().items).toEqual([]);
  freeSpace();
  expect((await tools.create(LOCAL_OWNER, buildDefinition("report"))).name).toBe("report");
});

it("ERR-01 a rename that the disk refuses keeps the tool, its old name and its approval setting", async () => {
  const { tools, setReadOnly } = await startCatalog();
  await tools.create(LOCAL_OWNER, buildDefinition("report"));
  await tools.setApproval(LOCAL_OWNER, "report", "always");
  setReadOnly(true);
  await expect(tools.update(LOCAL_OWNER, "report", buildDefinition("summary"))).rejects.toMatchObject({
    code: "UNAVAILABLE",
    message: expect.stringContaining("The database is read-only, so nothing was saved."),
  });
  expect(tools.list().items.map(({ name }) => name)).toEqual(["report"]);
  setReadOnly(false);
  await tools.update(LOCAL_OWNER, "report", buildDefinition("summary"));
  expect(tools.get("summary").approval.mode).toBe("always");
});
