import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import { createContainer } from "./container";
import { readEnv } from "./env";

const SERVER = path.resolve("e2e/support/mcp-servers/asking.mjs");
const ASKING = /^\w+\/(forms|urls|sampling)$/;

async function open(asking: object, folder: string) {
  const config = path.join(folder, "toolroom.json");
  const server = { command: process.execPath, args: [SERVER], ...asking };
  await writeFile(config, JSON.stringify({ mcpServers: { asking: server } }));
  const container = await createContainer(
    readEnv({
      DATABASE_URL: `file:${path.join(folder, "test.db")}`,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: config,
    }),
  );
  const { services } = container;
  await waitUntil(() => services.tools.list().items.some(({ name }) => name === "asking__sample"));
  const check = async (client: "zed" | "vscode", part = {}) =>
    (await services.clientVerdicts.check(LOCAL_PRINCIPAL, client, part)).findings.filter(({ rule }) =>
      ASKING.test(rule),
    );
  return { ...container, check };
}

it("verdicts name the clients that cannot answer what tools have asked for, and the settings that do, also after a restart", async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-asked-"));
  const first = await open({}, folder);
  expect(await first.check("zed")).toEqual([]);
  // Calls of programs whose client can answer nothing are refused, and recorded all the same.
  for (const tool of ["asking__form", "asking__sample"]) {
    const { executions } = first.services;
    const { status } = await executions.run(LOCAL_PRINCIPAL, { tool, argumentsText: "{}" }, "api");
    expect(status).toBe("succeeded");
  }
  await waitUntil(async () => (await first.check("zed")).length === 2);
  expect(await first.check("zed", { server: "asking" })).toMatchObject([
    {
      rule: "zed/forms",
      severity: "dropped",
      message: "Zed answers no forms (elicitation), which `asking__form` made. Such calls fail.",
      remedy: { kind: "server", text: expect.stringContaining("'People answer for programs'") },
    },
    { rule: "zed/sampling", remedy: { text: expect.stringContaining("Have a model of Toolroom answer") } },
  ]);
  expect(await first.check("zed", { tool: "asking__sample" })).toMatchObject([{ rule: "zed/sampling" }]);
  expect(await first.check("zed", { tool: "asking__roots" })).toEqual([]);
  expect(await first.check("vscode")).toEqual([]);
  await first.close();

  const sampling = { mode: "model", provider: "demo", model: "demo" };
  const repaired = await open({ sampling, askPeople: true }, folder);
  onTestFinished(() => repaired.close());
  expect(await repaired.check("zed")).toMatchObject([{ rule: "zed/forms", severity: "warns", remedy: null }]);
});
