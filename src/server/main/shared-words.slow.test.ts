import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { waitUntil } from "../../lib/wait-until.test-support";
import {
  type GatewayContainer,
  newDatabaseUrl,
  rawClient,
  startGatewayContainer,
} from "../mcp/gateway/gateway-container.test-support";

/** In the environment of one server and in the texts of another one: words that look like data, and one secret. */
const WORDS = ["gpt-4o-mini", "us-east-1", "2026-11-28", "orders_production", "ada@example.org", "1.28.0-beta.2"];
const SECRET = "sk-live-0123456789abcdef";
const TEXTS = [...WORDS, SECRET];
const ALL = TEXTS.join(" ");

const script = (name: string) => path.resolve(`e2e/support/mcp-servers/${name}.mjs`);

let server: GatewayContainer;
const services = () => server.container.services;

async function addServer(name: string, file: string, args: string[], env: Record<string, string> = {}): Promise<void> {
  await services().servers.create(LOCAL_PRINCIPAL, {
    name,
    transport: "stdio",
    command: process.execPath,
    args: [script(file), ...args],
    env: Object.entries(env).map(([variable, value]) => ({ name: variable, value })),
    approval: "never",
  });
  await waitUntil(() => services().servers.get(name).state.status === "connected");
}

/** A server that holds each text in its environment, and after it another one whose texts repeat them. */
beforeAll(async () => {
  server = await startGatewayContainer(await newDatabaseUrl());
  const env = Object.fromEntries(WORDS.map((word, at) => [`SETTING_${at}`, word]));
  await addServer("holder", "echo", [], { ...env, API_KEY: SECRET, MODEL: "gpt-4o-mini" });
  const file = path.join(await mkdtemp(path.join(os.tmpdir(), "toolroom-words-")), "words.json");
  await writeFile(file, JSON.stringify(TEXTS));
  await addServer("other", "repeating", [file]);
  await waitUntil(() =>
    services()
      .tools.list()
      .items.some(({ name }) => name === "other__choose"),
  );
});
afterAll(() => server.stop());

async function expectExact(): Promise<void> {
  const definition = services().tools.get("other__choose").definition as unknown as Record<string, never>;
  expect(definition).toMatchObject({
    description: `Chooses one of ${ALL}`,
    parameters: {
      description: `One of ${ALL}`,
      properties: {
        choice: { enum: TEXTS, default: TEXTS[0], description: `By default ${ALL}` },
        fixed: { const: TEXTS[0], examples: TEXTS },
      },
    },
  });
  const { ask, server: own } = await rawClient(`${server.url}/other`, "2025-11-25");
  expect(own.instructions).toContain(`Use ${ALL}`);
  const result = async (method: string, params = {}) => JSON.stringify((await ask(method, params)).at(-1)?.result);
  const inJson = (value: unknown): string => JSON.stringify(value).slice(1, -1);
  for (const list of ["tools/list", "prompts/list", "resources/list"]) {
    const listed = await result(list);
    expect(listed).toContain(ALL);
    expect(listed).not.toMatch(/redacted|masked/);
  }
  expect(await result("tools/list")).toContain(inJson(TEXTS));
  for (const choice of TEXTS) {
    const called = await result("tools/call", { name: "other__choose", arguments: { choice } });
    expect(called).toContain(`chosen ${choice} of ${ALL}`);
    expect(called).toContain(inJson(TEXTS));
  }
  expect(await result("tools/call", { name: "other__fail", arguments: {} })).toContain(`No such word: ${ALL}`);
  expect(JSON.stringify(await ask("tools/call", { name: "other__refuse", arguments: {} }))).toContain(
    `Refused: ${ALL}`,
  );
  const messages = JSON.stringify(
    await ask("tools/call", { name: "other__report", arguments: {}, _meta: { progressToken: "token" } }),
  );
  expect(messages).toContain(ALL);
  expect(messages).not.toMatch(/redacted|masked/);
  expect(await result("prompts/get", { name: "other__ask" })).toContain(`Say ${ALL}`);
  expect(await result("resources/read", { uri: "words://all" })).toContain(ALL);
  const ref = { type: "ref/prompt", name: "other__ask" };
  expect(await result("completion/complete", { ref, argument: { name: "word", value: "" } })).toContain(inJson(TEXTS));
}

describe("texts of a server that repeat values of another server's environment", () => {
  it("reach clients and the stored definition as they were sent, and validation takes each value", async () => {
    await expectExact();
  });

  it("are stored with words that look like data, and without a secret of the other server", async () => {
    const run = await services().executions.run(LOCAL_PRINCIPAL, {
      tool: "other__choose",
      argumentsText: JSON.stringify({ choice: SECRET }),
    });
    const { argumentsText, resultText } = await services().executions.get(run.id);
    const stored = `${argumentsText} ${resultText}`;
    for (const word of WORDS) expect(stored).toContain(word);
    expect(stored).not.toContain(SECRET);
    const failed = await services().executions.run(LOCAL_PRINCIPAL, { tool: "other__refuse", argumentsText: "{}" });
    expect(failed.error).toContain(`Refused: ${WORDS.join(" ")} [redacted]`);
    const log = JSON.stringify([await services().servers.log("other"), await services().servers.messages("other")]);
    for (const word of WORDS) expect(log).toContain(word);
    expect(log).not.toContain(SECRET);
  });

  it("stay as they are once the other server is deleted", async () => {
    await services().servers.delete(LOCAL_PRINCIPAL, "holder");
    await expectExact();
  });
});
