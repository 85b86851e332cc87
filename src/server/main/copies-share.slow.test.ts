import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { toolsetInputSchema } from "../../lib/contract/toolset";
import { waitUntil } from "../../lib/wait-until.test-support";
import { HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import { callAs } from "./api/call-as";
import type { Container } from "./container";
import { PATIENT_TIMING, startInstances } from "./start-copies.test-support";

const me = LOCAL_PRINCIPAL;
type Services = Container["services"];
type Console = ReturnType<typeof callAs>;

const buildTool = (name: string, more: object = {}): string =>
  JSON.stringify({
    name,
    description: "Greets a person by name",
    type: "function",
    handler: name,
    parameters: { type: "object", properties: { name: { type: "string", description: "Who" } }, required: ["name"] },
    implementation: { type: "mock", mock_response: "hello" },
    ...more,
  });
const buildToolset = (name: string, more: object = {}) => toolsetInputSchema.parse({ name, tools: ["greet"], ...more });
const provider = { name: "acme", kind: "openai" as const, apiKey: "sk-acme-0123456789", models: ["m1"], prices: [] };
/** Never started: it is switched off. */
const server = { name: "files", transport: "stdio", command: process.execPath, args: ["none.mjs"] };

const buildInstructions = (text: string) => ({
  path: "SKILL.md",
  text: `---\nname: steps\ndescription: How to\n---\n\n${text}\n`,
});

const listTools = ({ tools }: Services) =>
  tools.list().items.map(({ name, enabled, description, approval, owner, deprecation, lastEdit }) => ({
    name,
    enabled,
    description,
    approval,
    owner,
    deprecation,
    revision: lastEdit?.revision,
  }));
const getTool = (name: string) => (services: Services) =>
  services.tools.list().items.some((item) => item.name === name) ? services.tools.get(name) : null;
const readServers = ({ servers, tools }: Services) => ({
  servers: servers.list().items.map(({ state: _state, ...item }) => item),
  problems: tools.list().problems,
});

interface Change {
  what: string;
  act(services: Services, console: Console): Promise<unknown>;
  read(services: Services): unknown;
}

let deletedTool = "";
let deletedServer = "";

/** What users change, in this order, each on the next copy. */
const CHANGES: Change[] = [
  { what: "a tool is made", act: ({ tools }) => tools.create(me, buildTool("greet")), read: listTools },
  {
    what: "its definition changes",
    act: ({ tools }) => tools.update(me, "greet", buildTool("greet", { description: "Greets anyone by name" })),
    read: getTool("greet"),
  },
  {
    what: "a toolset is made",
    act: ({ toolsets }) => toolsets.create(me, buildToolset("desk")),
    read: (s) => s.toolsets.list(),
  },
  {
    what: "a toolset changes",
    act: ({ toolsets }) => toolsets.update(me, "desk", buildToolset("desk", { title: "Front desk" })),
    read: ({ toolsets }) => toolsets.get("desk"),
  },
  {
    what: "a tool is renamed, which toolsets follow",
    act: ({ tools }) => tools.update(me, "greet", buildTool("welcome")),
    read: (services) => [listTools(services), services.toolsets.get("desk")],
  },
  {
    what: "a tool asks for approval",
    act: ({ tools }) => tools.setApproval(me, "welcome", "always"),
    read: getTool("welcome"),
  },
  { what: "a tool asks no more", act: ({ tools }) => tools.setApproval(me, "welcome", null), read: getTool("welcome") },
  {
    what: "a tool has a lens",
    act: ({ tools }) => tools.setLens(me, "echo", "value"),
    read: ({ tools }) => tools.getLens("echo"),
  },
  {
    what: "a tool of the configuration is deprecated",
    act: ({ tools }) => tools.setDeprecation(me, "echo", { note: "old", successor: "welcome" }),
    read: listTools,
  },
  {
    what: "a tool of the configuration is switched off",
    act: ({ tools }) => tools.setEnabled(me, "echo", false),
    read: listTools,
  },
  { what: "it is switched on", act: ({ tools }) => tools.setEnabled(me, "echo", true), read: listTools },
  {
    what: "a tool of the console is switched off",
    act: ({ tools }) => tools.setEnabled(me, "welcome", false),
    read: listTools,
  },
  { what: "that is switched on", act: ({ tools }) => tools.setEnabled(me, "welcome", true), read: listTools },
  {
    what: "a tool is deleted",
    async act({ tools }) {
      deletedTool = (await tools.delete(me, "welcome")).id;
    },
    read: listTools,
  },
  { what: "a tool is restored", act: ({ tools }) => tools.restore(me, deletedTool), read: listTools },
  { what: "a toolset is deleted", act: ({ toolsets }) => toolsets.delete(me, "desk"), read: (s) => s.toolsets.list() },
  {
    what: "a skill is made",
    act: ({ ownSkills }) => ownSkills.create(me, [buildInstructions("One.")]),
    read: (s) => s.ownSkills.list(),
  },
  {
    what: "a skill changes",
    act: ({ ownSkills }) => ownSkills.update(me, "steps", [buildInstructions("Two.")]),
    read: (s) => s.ownSkills.list(),
  },
  {
    what: "a skill is deleted",
    act: ({ ownSkills }) => ownSkills.delete(me, "steps"),
    read: (s) => s.ownSkills.list(),
  },
  {
    what: "a model provider is made",
    act: (_, { models }) => models.createProvider({ provider }),
    read: (s) => s.models.providers(),
  },
  {
    what: "a model provider changes",
    act: (_, { models }) => models.updateProvider({ name: "acme", provider: { ...provider, models: ["m1", "m2"] } }),
    read: (services) => services.models.providers(),
  },
  {
    what: "a model provider is deleted",
    act: (_, { models }) => models.deleteProvider({ name: "acme" }),
    read: (s) => s.models.providers(),
  },
  { what: "a server is added", act: ({ servers }) => servers.create(me, server, false), read: readServers },
  {
    what: "the settings of a server change",
    act: ({ servers }) => servers.update(me, "files", { ...server, args: ["other.mjs"] }),
    read: ({ servers }) => servers.get("files").settings,
  },
  {
    what: "a server has an approval policy",
    act: ({ servers }) => servers.setApproval(me, "files", "always"),
    read: (s) => s.servers.get("files").settings,
  },
  {
    what: "a server is renamed",
    act: ({ servers }) => servers.update(me, "files", { ...server, name: "disk" }),
    read: readServers,
  },
  {
    what: "a server is deleted",
    async act({ servers }) {
      deletedServer = (await servers.delete(me, "disk")).id;
    },
    read: readServers,
  },
  { what: "a server is restored", act: ({ servers }) => servers.restore(me, deletedServer), read: readServers },
  {
    what: "retention rules are saved",
    act: ({ retention }) => retention.save(me, { rules: [] }),
    read: async ({ retention }) => (await retention.get(me)).revision,
  },
];

describe.skipIf(!HAS_POSTGRES)("three instances of the server", { timeout: 180_000 }, () => {
  it("show what was changed on one of them as soon as the change is answered", async () => {
    const { copies, start } = await startInstances(3, { timing: PATIENT_TIMING });
    for (const [at, { what, act, read }] of CHANGES.entries()) {
      const actor = copies[at % copies.length] as Container;
      const before = JSON.stringify(await read(actor.services));
      await actor.services.acting.answered(() => act(actor.services, callAs(actor, me)));
      const after = JSON.stringify(await read(actor.services));
      expect(after, what).not.toBe(before);
      for (const other of copies) expect(JSON.stringify(await read(other.services)), what).toBe(after);
    }
    // One that starts now has the same.
    const late = await start();
    const readAll = ({ services }: Container) => [listTools(services), services.toolsets.list(), readServers(services)];
    expect(readAll(late)).toEqual(readAll(copies[0] as Container));
  });

  it("tell the pages and MCP clients of each instance, which then read the new catalog from any", async () => {
    const { copies } = await startInstances(3, { timing: PATIENT_TIMING });
    const [one, , three] = copies as [Container, Container, Container];
    let newest = "";
    const isEverywhere = () => copies.every(({ services }) => getTool(newest)(services) !== null);

    const seen: boolean[] = [];
    const page = three.live.open(null, {
      write(message) {
        if (message.toString().includes('"type":"tools"')) seen.push(isEverywhere());
        return true;
      },
      end: () => undefined,
    });
    newest = "for_pages";
    await one.services.tools.create(me, buildTool(newest));
    await waitUntil(() => seen.length > 0);
    expect(seen).toEqual([true]);
    page?.close();

    const server = createServer((request, response) => void three.gateway.handle(request, response));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const told: boolean[] = [];
    let names: string[] = [];
    const onChanged = async (): Promise<void> => {
      told.push(isEverywhere());
      names = (await client.listTools()).tools.map(({ name }) => name);
    };
    const client: Client = new Client(
      { name: "copies", version: "1" },
      { versionNegotiation: { mode: "auto" }, listChanged: { tools: { autoRefresh: false, onChanged } } },
    );
    const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`);
    await client.connect(new StreamableHTTPClientTransport(url));
    await client.listTools();
    // The client's stream may not be open yet.
    for (let at = 0; told.length === 0; at += 1) await one.services.tools.create(me, buildTool(`for_clients_${at}`));
    newest = "for_clients";
    await one.services.tools.create(me, buildTool(newest));
    // What it is told last, it can read from any copy. The notice of an earlier change may come after the change that is newest.
    await waitUntil(() => told.at(-1) === true && names.includes(newest));
    await client.close();
  });

  it("follow an import, and the tools that a server lists, which each of them can call", async () => {
    const { copies } = await startInstances(3, { timing: PATIENT_TIMING });
    const [one, two] = copies.map(({ services }) => services) as [Services, Services];
    await one.acting.answered(() => one.tools.create(me, buildTool("greet")));
    const choice = { format: "catalogue" as const, tools: ["greet"], servers: [], toolsets: [] };
    const exported = await one.sharing.export(me, { ...choice, versions: false, exportedAt: false });
    const text = exported.text.replaceAll("by name", "by their name");
    const { digest, entries } = await two.sharing.preview(me, text);
    const decisions = entries.map(({ kind, position }) => ({ kind, position, action: "replace" as const }));
    await two.acting.answered(() => two.sharing.import(me, { text, digest, decisions }));
    for (const { services } of copies)
      expect(services.tools.get("greet").definition.description).toContain("their name");

    const args = [path.resolve("e2e/support/mcp-servers/echo.mjs")];
    const echo = { name: "echo", transport: "stdio" as const, command: process.execPath, args };
    await two.acting.answered(() => two.servers.create(me, echo));
    for (const { services } of copies) {
      await waitUntil(() => services.tools.list().items.some(({ name }) => name.startsWith("echo__")));
    }
    const names = copies.map(({ services }) =>
      services.tools.list().items.filter(({ name }) => name.startsWith("echo__")),
    );
    const [tool] = names[0] ?? [];
    expect(names[1]?.map(({ name }) => name)).toEqual(names[0]?.map(({ name }) => name));
    await one.acting.answered(() => one.tools.setEnabled(me, tool?.name ?? "", false));
    for (const { services } of copies) expect(services.tools.get(tool?.name ?? "").enabled).toBe(false);
    await two.acting.answered(() => two.servers.setEnabled(me, "echo", false));
    for (const { services } of copies) {
      expect(services.servers.get("echo").enabled).toBe(false);
      expect(services.tools.list().items.some(({ name }) => name.startsWith("echo__"))).toBe(false);
    }
  });

  it("that change the same things at the same time end with the same catalog", async () => {
    const { copies } = await startInstances(3, { timing: PATIENT_TIMING });
    await Promise.all(
      copies.flatMap(({ services }, at) =>
        Array.from({ length: 4 }, (_, turn) =>
          services.acting.answered(async () => {
            const name = `tool_${at}_${turn}`;
            await services.tools.create(me, buildTool(name));
            await services.toolsets.create(me, toolsetInputSchema.parse({ name: `set_${at}_${turn}`, tools: [name] }));
            await services.tools.setApproval(me, "echo", turn % 2 === 0 ? "always" : "never").catch(() => undefined);
            await services.tools.update(me, name, buildTool(`${name}_renamed`));
          }),
        ),
      ),
    );
    const seen = copies.map(({ services }) => ({
      tools: listTools(services).sort((left, right) => (left.name < right.name ? -1 : 1)),
      toolsets: services.toolsets.list().map(({ name }) => services.toolsets.get(name)),
    }));
    expect(seen[0]?.tools.filter(({ name }) => name.endsWith("_renamed"))).toHaveLength(12);
    expect(seen[1]).toEqual(seen[0]);
    expect(seen[2]).toEqual(seen[0]);
  });
});
