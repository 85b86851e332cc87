import { mkdtemp } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import {
  type GatewayContainer,
  newDatabaseUrl,
  type RawClient,
  rawClient,
  startGatewayContainer,
} from "./gateway-container.test-support";
import { listDirectly, withServedExecution } from "./list-directly.test-support";

type Entry = Record<string, unknown> & { name: string; uri?: string; uriTemplate?: string };
type Listed = Record<(typeof LISTS)[number]["key"], Entry[]>;

const LISTS = [
  { key: "tools", method: "tools/list", id: "name" },
  { key: "resources", method: "resources/list", id: "uri" },
  { key: "resourceTemplates", method: "resources/templates/list", id: "uriTemplate" },
  { key: "prompts", method: "prompts/list", id: "name" },
] as const;
const METHODS = Object.fromEntries(LISTS.map(({ key, method }) => [key, method])) as Record<keyof Listed, string>;
const NAMES = ["everything", "filesystem", "memory", "sequential-thinking"] as const;
const PROTOCOLS = ["2025-11-25", "2026-07-28"] as const;

const direct = new Map<string, Listed>();
let folder: string;
let running: GatewayContainer;

const toPrefix = (name: string): string => name.replace("-", "_");
const buildArgs = (name: string): string[] => [
  path.resolve(`node_modules/@modelcontextprotocol/server-${name}/dist/index.js`),
  ...(name === "everything" ? ["stdio"] : name === "filesystem" ? [folder] : []),
];
const buildEnv = () => ({ MEMORY_FILE_PATH: path.join(folder, "memory.jsonl") });

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-reference-"));
  running = await startGatewayContainer(await newDatabaseUrl());
  const { servers } = running.container.services;
  await Promise.all(
    NAMES.map(async (name) => {
      const common = { transport: "stdio", command: process.execPath, args: buildArgs(name) } as const;
      const env = Object.entries(buildEnv()).map(([variable, value]) => ({ name: variable, value }));
      await servers.create(LOCAL_PRINCIPAL, { name: toPrefix(name), ...common, env });
      await servers.reconnect(LOCAL_PRINCIPAL, toPrefix(name));
      direct.set(name, await listDirectly(buildArgs(name), METHODS, { ...process.env, ...buildEnv() }));
    }),
  );
}, 60_000);
afterAll(() => running.stop());

async function listThroughGateway(client: RawClient): Promise<Listed> {
  const listed = {} as Listed;
  for (const { key, method } of LISTS) {
    listed[key] = ((await client.ask(method)).at(-1)?.result?.[key] as Entry[] | undefined) ?? [];
  }
  return listed;
}

const asServed = (listed: Listed, protocol: string): Listed => ({
  ...listed,
  tools: listed.tools.map((tool) => withServedExecution(tool, protocol)) as Entry[],
});

const byId = (entries: readonly Entry[], id: string): Map<unknown, Entry> =>
  new Map(entries.map((entry) => [entry[id], entry]));

describe.each(PROTOCOLS)("for a client of %s", (protocol) => {
  it.each(NAMES)("RTE-03 every field of every tool, resource and prompt of %s is the server's own", async (name) => {
    const expected = asServed(direct.get(name) as Listed, protocol);
    expect(expected.tools.length).toBeGreaterThan(0);
    if (name === "everything") {
      for (const { key } of LISTS) expect([key, expected[key].length > 0]).toEqual([key, true]);
    }
    const own = await listThroughGateway(await rawClient(`${running.url}/${toPrefix(name)}?names=plain`, protocol));
    const all = await listThroughGateway(await rawClient(running.url, protocol));
    expect(own.tools).toEqual(expected.tools);
    for (const { key, id } of LISTS) {
      expect(byId(own[key], id)).toEqual(byId(expected[key], id));
      const served = byId(all[key], id);
      for (const entry of expected[key]) {
        const named = id === "name" ? { ...entry, name: `${toPrefix(name)}__${entry.name}` } : entry;
        expect(served.get(named[id])).toEqual(named);
      }
    }
  });
});

it("a static resource and a prompt of the reference server are the same through the gateway", async () => {
  const client = await rawClient(running.url, "2025-11-25");
  const [{ uri }] = (direct.get("everything") as Listed).resources as [Entry];
  const read = (await client.ask("resources/read", { uri })).at(-1)?.result;
  expect(read?.contents).toMatchObject([{ uri, text: expect.stringMatching(/\w/) }]);
  const prompt = await client.ask("prompts/get", { name: "everything__args-prompt", arguments: { city: "Bern" } });
  expect(JSON.stringify(prompt.at(-1)?.result)).toContain("Bern");
});
