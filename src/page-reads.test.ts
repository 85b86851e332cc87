import { readdirSync } from "node:fs";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { OFFERED_INPUT } from "./app/_components/playground/offered-tools";
import { toListInput as toServerInput } from "./app/_components/servers/list/server-filters";
import { toListInput } from "./app/_components/tools/list/tool-filters";
import { LOCAL_PRINCIPAL } from "./lib/contract/access";
import { appRouter } from "./server/main/api/root";
import { type Container, createContainer } from "./server/main/container";
import { readEnv } from "./server/main/env";

const TOOLS = 5_000;
const SERVERS = 400;
/** Entries of the configuration that cannot be loaded. */
const BROKEN = 2_000;
/** A page's HTML has each read as escaped text, beside the rows that are rendered of it. */
const MOST_BYTES = 100_000;
/** Rows in the HTML of a list: a screen and a bit. */
const MOST_ROWS = 30;
/** What a search answers while a user types. */
const MOST_FOUND_BYTES = 40_000;
/** Everything else of the console finds tools by a search, and servers by a search or their names. */
const CHOOSE_AMONG_ALL = [
  "_components/playground/settings-panel.tsx tools.names",
  "_components/toolsets/form/toolset-form.tsx tools.names",
];
/** A busy machine takes its time. */
const TIME_LIMIT_MS = 120_000;

const NO_FILTER = {
  q: "",
  type: "",
  origin: null,
  server: "",
  tag: "",
  state: null,
  approval: null,
  sort: null,
  problems: false,
  favorites: false,
  mine: false,
};
const ONE_TOOL = { name: "tool_1" };
const IN_SET = { name: "all" };
/** The input of each read that a page makes before it is rendered: an empty one where nothing is named here. */
const INPUTS: Record<string, readonly object[]> = {
  "approvals.list": [{ status: "open" }],
  "audit.list": [{ filter: {} }],
  "executions.list": [{ filter: {} }],
  "executions.overview": [{ days: 7, zone: "UTC" }],
  "executions.toolStatistics": [{ ...ONE_TOOL, days: 7, zone: "UTC" }],
  "executions.toolStats": [ONE_TOOL],
  "servers.page": [toServerInput({ q: "", state: null, transport: null, attention: false })],
  "suites.evals": [{ suite: "none" }],
  "tools.get": [ONE_TOOL],
  "tools.list": [toListInput(NO_FILTER), { ...toListInput(NO_FILTER), sort: "-calls" }, OFFERED_INPUT],
  "tools.providerFormats": [ONE_TOOL],
  "tools.versions": [ONE_TOOL],
  "toolsets.get": [IN_SET],
};
/** Reads of one thing that a test without servers, runs and calls does not have: none of them has tools but its own. */
const OF_OTHERS = [
  "account.consentRequest",
  "approvals.get",
  "cassettes.get",
  "cassettes.sessions",
  "changes.review",
  "clients.get",
  "conformance.list",
  "executions.get",
  "ownSkills.get",
  "ownSkills.versions",
  "runs.get",
  "servers.changes",
  "servers.get",
  "servers.log",
  "servers.messages",
  "servers.tools",
  "suites.get",
  "suites.getRun",
];

const buildTool = (at: number) => ({
  name: `tool_${at}`,
  description: `Create, update or search the records number ${at} of a project by owner and name. ${"Returns ids. ".repeat(8)}`,
  type: "function",
  handler: "records",
  tags: ["sample", `team-${at % 20}`],
  parameters: {
    type: "object",
    properties: { owner: { type: "string", description: "Owner of the project" }, page: { type: "integer" } },
    required: ["owner"],
  },
  implementation: { type: "mock", mock_response: { ok: true } },
});

/** Its message names the field. */
const breakTool = (at: number) => ({ ...buildTool(at), parameters: { type: "nothing" } });

/** Switched off, so that nothing is connected; those beyond the number lack an address. */
const buildServer = (at: number) => ({
  type: "http",
  ...(at < SERVERS && { url: `https://mcp-${at}.example.org/projects/of/a/team/mcp` }),
  disabled: true,
});

let container: Container;
const caller = () =>
  appRouter.createCaller({
    actor: LOCAL_PRINCIPAL,
    refusal: null,
    sessionId: null,
    source: "api",
    services: container.services,
    recheck: async () => LOCAL_PRINCIPAL,
    stopping: container.stopping,
  });

beforeAll(async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), "toolroom-page-reads-"));
  const config = path.join(folder, "toolroom.json");
  const registry = Array.from({ length: TOOLS + BROKEN }, (_, at) => (at < TOOLS ? buildTool(at) : breakTool(at)));
  const servers = Array.from({ length: SERVERS + BROKEN }, (_, at) => [`server-${at}`, buildServer(at)]);
  await writeFile(config, JSON.stringify({ mcpServers: Object.fromEntries(servers), tools: { registry } }));
  container = await createContainer(
    readEnv({ DATABASE_URL: `file:${folder}/pages.db`, TOOLROOM_LOG_LEVEL: "silent", TOOLROOM_CONFIG: config }),
  );
  await caller().toolsets.create({ ...IN_SET, title: "", description: "", tools: [], servers: [], patterns: ["*"] });
}, TIME_LIMIT_MS);
afterAll(() => container.close());

/** The procedures that pages and layouts read before they are rendered. */
async function listReads(): Promise<string[]> {
  const files = readdirSync("src/app", { recursive: true, encoding: "utf8" });
  const pages = files.filter((file) => /(^|\/)(page|layout)\.tsx$/.test(file));
  const texts = await Promise.all(pages.map((file) => readFile(path.join("src/app", file), "utf8")));
  const found = texts.flatMap((text) => [...text.matchAll(/trpc\.(\w+\.\w+)\.(?:infiniteQ|q)ueryOptions/g)]);
  return [...new Set(found.map(([, procedure = ""]) => procedure))].sort();
}

async function measure(procedure: string): Promise<[string, number][]> {
  const [noun = "", verb = ""] = procedure.split(".");
  const nouns = caller() as unknown as Record<string, Record<string, (input?: object) => Promise<unknown>>>;
  const sizes: [string, number][] = [];
  for (const input of INPUTS[procedure] ?? [{}]) {
    const read = await nouns[noun]?.[verb]?.(input);
    sizes.push([`${procedure} ${JSON.stringify(input).slice(0, 80)}`, JSON.stringify(read ?? null).length]);
  }
  return sizes;
}

it(
  "no page reads more than it shows, whatever the size of the catalog",
  async () => {
    const reads = (await listReads()).filter((procedure) => !OF_OTHERS.includes(procedure));
    expect(reads).toEqual(expect.arrayContaining(["tools.list", "servers.page", "system.info", "servers.problems"]));
    const sizes: [string, number][] = [];
    for (const procedure of reads) sizes.push(...(await measure(procedure)));
    expect(sizes.filter(([, bytes]) => bytes > MOST_BYTES)).toEqual([]);
  },
  TIME_LIMIT_MS,
);

it(
  "the HTML of a list has the first rows, and a search finds the best of thousands",
  async () => {
    const filtered = [{}, { tag: "team-1" }, { q: "records" }].map((filter) =>
      toListInput({ ...NO_FILTER, ...filter }),
    );
    for (const input of [...filtered, { ...toListInput(NO_FILTER), sort: "-calls" as const }]) {
      const page = await caller().tools.list(input);
      expect(page.items.length, JSON.stringify(input)).toBe(MOST_ROWS);
      expect(page.nextCursor).not.toBeNull();
    }
    for (const search of ["", "tool", "tool_4999", "of a project", "zzz"]) {
      const found = [await caller().tools.suggest({ search, limit: 50 }), await caller().servers.suggest({ search })];
      expect(JSON.stringify(found).length, search).toBeLessThan(MOST_FOUND_BYTES);
    }
    expect((await caller().tools.suggest({ search: "tool_4999" }))[0]?.name).toBe("tool_4999");
    expect((await caller().servers.suggest({ search: "server-399" }))[0]?.name).toBe("server-399");
  },
  TIME_LIMIT_MS,
);

it("no palette, picker or field reads all servers or all tools, except where all are chosen among", async () => {
  const files = readdirSync("src/app", { recursive: true, encoding: "utf8" }).filter((file) => /\.tsx?$/.test(file));
  const found: string[] = [];
  for (const file of files.filter((each) => !/\.test(-support)?\./.test(each))) {
    const text = await readFile(path.join("src/app", file), "utf8");
    for (const [, procedure] of text.matchAll(/trpc\.(servers\.list|tools\.names)\.queryOptions/g)) {
      found.push(`${file} ${procedure}`);
    }
  }
  expect(found.sort()).toEqual(CHOOSE_AMONG_ALL);
});

it(
  "what could not be loaded is counted on every page, and listed whole in pages",
  async () => {
    const info = await caller().system.info();
    expect(info.counts).toMatchObject({ tools: TOOLS, servers: SERVERS });
    expect(info.problems.length).toBeLessThan(20);
    expect(info.problemCount).toBe(2 * BROKEN);
    expect((await caller().tools.problems()).count).toBe(BROKEN);
    expect((await caller().servers.problems()).count).toBe(BROKEN);
    const names = new Set<string | null>();
    let cursor: string | undefined;
    do {
      const page = await caller().system.problems({ cursor });
      expect(page.count).toBe(2 * BROKEN);
      for (const { name } of page.items) names.add(name);
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(names.size).toBe(2 * BROKEN);
  },
  TIME_LIMIT_MS,
);

it(
  "pages of the list have every tool once, in the order of the whole",
  async () => {
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await caller().tools.list({ ...toListInput(NO_FILTER), sort: "name", limit: 200, cursor });
      expect([page.matching, page.total]).toEqual([TOOLS, TOOLS]);
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(names).toEqual(Array.from({ length: TOOLS }, (_, at) => `tool_${at}`));
  },
  TIME_LIMIT_MS,
);
