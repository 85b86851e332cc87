import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import pg from "pg";
import { describe, expect, it, onTestFinished } from "vitest";
import Database from "../../../scripts/sqlite.mjs";
import { LOCAL_PRINCIPAL } from "../../lib/contract/access";
import { createSample } from "../../lib/sample.test-support";
import { isPostgresUrl } from "../platform/db/describe-database";
import {
  buildPostgresVersion,
  buildSqliteVersion,
  type Row,
  readOlderVersions,
} from "../platform/db/older-versions.test-support";
import { createPostgresDatabase, HAS_POSTGRES } from "../platform/db/postgres/scratch-postgres.test-support";
import type { RequestContext } from "./api/context";
import { createRestClient } from "./api/rest/rest.test-support";
import { ROUTES } from "./api/rest/routes";
import { appRouter } from "./api/root";
import { type Container, createContainer } from "./container";
import { readEnv } from "./env";

/** Databases that were in use, with the files of their keys; they are laid beside a clone, and a package has none. */
const REAL =
  ["../shared", "../../shared"].map((at) => path.resolve(at, "fixtures/databases")).find((at) => existsSync(at)) ??
  null;
const REAL_NAMES = ["2026-11-22", "2026-11-24"];

interface Procedure {
  _def: { type: string };
}
type Caller = Record<string, Record<string, (input: unknown) => unknown>>;

/** What a request may be refused for: what it names is not there, or is not asked for in this way. */
const REFUSALS = new Set(["BAD_REQUEST", "NOT_FOUND", "PRECONDITION_FAILED", "CONFLICT", "METHOD_NOT_SUPPORTED"]);

/** Asks each read of the pages with names and ids of what the database holds. */
async function findFailedReads(
  container: Container,
  names: readonly string[],
  ids: readonly string[],
): Promise<string[]> {
  const context: RequestContext = {
    actor: LOCAL_PRINCIPAL,
    refusal: null,
    sessionId: null,
    source: "console",
    services: container.services,
    recheck: async () => LOCAL_PRINCIPAL,
    stopping: container.stopping,
  };
  const inputs: unknown[] = [undefined, {}, ...names.map((name) => ({ name })), ...ids.map((id) => ({ id }))];
  const failed: string[] = [];
  for (const [at, procedure] of Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>)) {
    if (procedure._def.type !== "query") continue;
    const [area = "", name = ""] = at.split(".");
    for (const input of inputs) {
      // A request of its own: the calls of one share a limit of time.
      const caller = appRouter.createCaller({ ...context }) as unknown as Caller;
      try {
        await caller[area]?.[name]?.(input);
      } catch (error) {
        const code = (error as { code?: string }).code ?? "none";
        if (!REFUSALS.has(code)) failed.push(`${at} ${JSON.stringify(input)}: ${code} ${String(error)}`);
      }
    }
  }
  return failed;
}

async function expectReadable(
  container: Container,
  written: { executions: readonly Row[]; tools: readonly Row[]; runs: readonly Row[] },
): Promise<void> {
  const ask = createRestClient(container);
  const read = async (address: string) => {
    const response = await ask({ method: "GET", address, actor: LOCAL_PRINCIPAL });
    expect([address, response.status]).toEqual([address, 200]);
    return response.headers.get("content-type")?.startsWith("application/json") === true ? await response.json() : null;
  };
  for (const { method, path: address, contentType, query } of ROUTES) {
    // The routes without a name in them are the lists; a chart of what is to be named has no default.
    const namesNothing = !address.includes("{") && (query?.safeParse({}).success ?? true);
    if (method === "GET" && namesNothing && contentType === undefined) await read(address);
  }
  for (const row of written.executions) {
    const execution = await read(`/executions/${row.id}`);
    const shown = (text: unknown) => (text === undefined || text === null ? null : JSON.parse(String(text)));
    expect(execution).toMatchObject({ id: row.id, status: row.status, toolName: row.toolName });
    expect(JSON.parse(execution.argumentsText)).toEqual(shown(row.arguments));
  }
  for (const { id } of written.runs) expect(await read(`/runs/${id}`)).toMatchObject({ id });
  for (const { name } of written.tools) expect(await read(`/tools/${name}`)).toMatchObject({ name });
  const names = written.tools.slice(0, 1).map(({ name }) => String(name));
  const ids = [...written.executions.slice(0, 1), ...written.runs.slice(0, 1)].map(({ id }) => String(id));
  expect(await findFailedReads(container, names, ids)).toEqual([]);
}

async function openContainer(url: string, folder: string): Promise<Container> {
  const settings = {
    DATABASE_URL: url,
    TOOLROOM_LOG_LEVEL: "silent",
    TOOLROOM_CONFIG: path.join(folder, "none.json"),
    TOOLROOM_SECRET_KEY: isPostgresUrl(url) ? "5".repeat(64) : undefined,
  };
  return await createContainer(readEnv(settings));
}

function createFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-older-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The oldest, the newest and a sample of those between; `landed-migrations.test.ts` opens all of them in each run. */
function chooseVersions(folder: string) {
  const isSampled = createSample(8);
  const versions = readOlderVersions(path.resolve(folder));
  const chosen = versions.filter((each) => each === versions[0] || each === versions.at(-1) || isSampled());
  return chosen.map((each) => [each.version, each] as const);
}

describe("a database of an earlier version (each in continuous integration, elsewhere a sample) is read through REST and by the pages", () => {
  it.each(chooseVersions("prisma/migrations"))(
    "on SQLite: version %i",
    { timeout: 60_000 },
    async (_number, version) => {
      const folder = createFolder();
      const filePath = path.join(folder, "toolroom.db");
      const { Execution = [], Tool = [], Run = [] } = buildSqliteVersion(filePath, version);
      const container = await openContainer(`file:${filePath}`, folder);
      try {
        await expectReadable(container, { executions: Execution, tools: Tool, runs: Run });
      } finally {
        await container.close();
      }
    },
  );

  it.skipIf(!HAS_POSTGRES).each(chooseVersions("prisma/migrations-postgres"))(
    "on PostgreSQL: version %i",
    { timeout: 60_000 },
    async (_number, version) => {
      const { url, remove } = await createPostgresDatabase({ migrated: false });
      onTestFinished(remove);
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      const written = await buildPostgresVersion(client, version);
      await client.end();
      const { Execution = [], Tool = [], Run = [] } = written;
      const container = await openContainer(url, createFolder());
      try {
        await expectReadable(container, { executions: Execution, tools: Tool, runs: Run });
      } finally {
        await container.close();
      }
    },
  );
});

// They are laid beside a clone, so their absence is no fault.
describe.runIf(REAL !== null)("a database that was in use", () => {
  it.each(REAL_NAMES)(
    "opens with every call byte for byte, and is read through REST and by the pages: %s",
    { timeout: 120_000 },
    async (name) => {
      const folder = createFolder();
      const filePath = path.join(folder, "toolroom.db");
      writeFileSync(filePath, gunzipSync(readFileSync(path.join(REAL ?? "", `${name}.db.gz`))));
      cpSync(path.join(REAL ?? "", `${name}.db.key`), `${filePath}.key`);
      const before = readRows(filePath);
      const container = await openContainer(`file:${filePath}`, folder);
      try {
        const executions = before.executions.filter(({ status }) => status !== "waiting" && status !== "running");
        await expectReadable(container, {
          executions: executions.filter((_, index) => index % 100 === 0),
          tools: before.tools,
          runs: before.runs,
        });
      } finally {
        await container.close();
      }
      const after = new Map(readRows(filePath).executions.map((row) => [row.id, row]));
      const changed = before.executions.filter(({ id, status, arguments: given, result, error }) => {
        const now = after.get(id ?? "");
        if (status === "waiting" || status === "running") return now === undefined;
        if (now === undefined) return true;
        return now.status !== status || now.arguments !== given || now.result !== result || now.error !== error;
      });
      expect(changed.map(({ id }) => id)).toEqual([]);
      expect(after.size).toBe(before.executions.length);
    },
  );
});

function readRows(filePath: string): { executions: Row[]; tools: Row[]; runs: Row[] } {
  const raw = new Database(filePath, { readonly: true });
  const read = (table: string) => raw.prepare<[], Row>(`SELECT * FROM "${table}"`).all();
  try {
    return { executions: read("Execution"), tools: read("Tool"), runs: read("Run") };
  } finally {
    raw.close();
  }
}
