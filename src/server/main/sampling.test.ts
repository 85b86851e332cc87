import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { createContainer } from "./container";
import { readEnv } from "./env";

const SERVER = path.resolve("e2e/support/mcp-servers/asking.mjs");

it("a server of the configuration gets its model's responses; the execution keeps what was asked and answered", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-sampling-"));
  const config = path.join(folder, "toolroom.json");
  const sampling = { mode: "model", provider: "demo", model: "demo" };
  const asking = { command: process.execPath, args: [SERVER], sampling };
  await writeFile(config, JSON.stringify({ mcpServers: { asking } }));
  const { services, close } = await createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: config,
    }),
  );
  onTestFinished(close);
  await waitUntil(() => services.tools.list().items.some(({ name }) => name === "asking__sample"));
  const ran = await services.executions.run(LOCAL_PRINCIPAL, { tool: "asking__sample", argumentsText: "{}" });
  const { result } = JSON.parse(JSON.parse(ran.resultText ?? "").content[0].text);
  expect(result).toMatchObject({ role: "assistant", model: "demo", stopReason: "endTurn" });
  expect(await services.sampling.list(ran.id)).toMatchObject([
    {
      outcome: "answered",
      provider: "demo",
      model: "demo",
      responseText: result.content.text,
      requestText: expect.stringContaining("Say hi"),
    },
  ]);
  expect(ran.logs).toMatchObject([{ message: "Sampling request answered by demo / demo" }]);
  expect(await services.interactions.list()).toEqual([]);
});
