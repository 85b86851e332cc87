import { mkdtemp, writeFile } from "node:fs/promises";
import os from "node:os";
import path from "node:path";
import { callTRPCProcedure } from "@trpc/server";
import { describe, expect, it, onTestFinished } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { createSample } from "../../../lib/sample.test-support";
import { waitUntil } from "../../../lib/wait-until.test-support";
import { createPostgresDatabase, HAS_POSTGRES } from "../../platform/db/postgres/scratch-postgres.test-support";
import { createContainer } from "../container";
import { readEnv } from "../env";
import type { RequestContext } from "./context";
import { fillSchema, listDistinct, PROCEDURES, type Schema, toSchema } from "./fill-schema.test-support";
import { answerRest } from "./rest/answer-rest";
import { ROUTES } from "./rest/routes";
import { appRouter } from "./root";

/** The local owner has no account. */
const SKIPPED = new Set(["people.switchOn"]);
/** A server that an earlier request added, whose program does not exist, is asked. */
const OWN_SERVER = /Server '[^']*' is unavailable: The command 'x' was not found/;
/** They end what the others ask for, so they come last. */
const isDestructive = (name: string): boolean => /delete|remove|update|setEnabled|import|restore|revoke/i.test(name);

/** What may stand where a text is expected. */
const WRONG: readonly unknown[] = [
  "",
  " ",
  "unknown",
  "exec_unknown00001",
  "a\0b",
  "\ud800",
  "../../etc/passwd",
  "%00",
  "9".repeat(400),
  "[".repeat(2_000),
  "(a+)+$",
  "x".repeat(50_000),
  "__proto__",
  0,
  -1,
  1.5,
  1e308,
  null,
  true,
  [],
  {},
  [[]],
];
/** More texts that a database, a search index or UTF-8 cannot take as they are: in all places at once. */
const ODD: readonly unknown[] = ["\0", 'x" \0*', "a\udfffb"];
const NUMBERS: readonly unknown[] = [0, -1, 1.5, 1e15, 2 ** 31, 2 ** 53 - 1, Number.MAX_VALUE, -1e300, null, "1", "x"];

const SERVERS = ["offering", "off", "api", "personal", "unknown"];
const DOCUMENT = {
  openapi: "3.1.0",
  info: { title: "A", version: "1" },
  paths: { "/a": { get: { operationId: "a", responses: {} } } },
};

/** Values by the name of a property that are well-formed, so that what stands beside them is looked at. */
function listKnown(executionId: string): Record<string, readonly unknown[]> {
  return {
    server: SERVERS,
    name: [...SERVERS, "echo"],
    servers: SERVERS,
    uri: ["offering://only", "ui://panel", "offering://unknown", "file:///etc/passwd"],
    prompt: ["unknown"],
    tool: ["offering__show", "api__a", "off__show", "personal__show", "echo"],
    tools: ["offering__show"],
    id: [executionId, "unknown"],
    executionId: [executionId],
    callExecutionId: ["exec_bad00000000001"],
    origin: ["http://127.0.0.1:3000"],
    url: ["http://127.0.0.1:9/"],
    argumentsText: ["{}", '{"a":1e999}', "{"],
    method: ["resources/read"],
    settings: [
      {
        name: "extra",
        transport: "openapi",
        url: "http://127.0.0.1:9/",
        document: { from: "text", text: "no document" },
      },
      {
        name: "extra",
        transport: "openapi",
        url: "http://127.0.0.1:9/",
        document: { from: "file", path: "/no/such/file" },
      },
      {
        name: "extra",
        transport: "openapi",
        url: "http://127.0.0.1:9/",
        document: { from: "url", url: "http://127.0.0.1:9/" },
      },
    ],
  };
}

const toName = (at: string): string => at.split("/").findLast((part) => !/^\d+$/.test(part)) ?? "";

/** Inputs that are wrong in one place each, beside what is right, and in all places at once. */
function* fillWrong(schema: Schema, known: Record<string, readonly unknown[]>): Generator<unknown> {
  const choose = (variant: number) => (at: string) => {
    const values = known[toName(at)] ?? ["x"];
    return values[variant % values.length];
  };
  const places = new Set<string>();
  for (let variant = 0; variant < SERVERS.length + 1; variant += 1) {
    for (const keeps of [true, false]) {
      yield fillSchema(schema, {
        text(at) {
          places.add(at);
          return choose(variant)(at);
        },
        keeps: () => keeps,
      });
    }
  }
  for (const wrong of [...WRONG, ...ODD]) yield fillSchema(schema, { text: () => wrong });
  for (const number of NUMBERS) yield fillSchema(schema, { text: choose(0), number: () => number });
  for (const place of places) {
    for (const wrong of WRONG) {
      yield fillSchema(schema, {
        text: (at) => (at === place ? wrong : choose(0)(at)),
        keeps: (at) => `${place}/`.startsWith(`${at}/`),
      });
    }
  }
}

/** A server with each kind of server, of which none is out of reach: whatever fails is a mistake of the request. */
async function open(databaseUrl: string) {
  const config = path.join(await mkdtemp(path.join(os.tmpdir(), "toolroom-bad-")), "toolroom.json");
  const offering = {
    command: process.execPath,
    args: [path.resolve("e2e/support/mcp-servers/offering.mjs"), "offering"],
  };
  const mcpServers = {
    offering,
    off: { ...offering, disabled: true },
    personal: { ...offering, credentials: { mode: "personal", slots: [{ name: "OFFER" }] } },
    api: { type: "openapi", url: "http://127.0.0.1:9/", document: { text: JSON.stringify(DOCUMENT) } },
  };
  await writeFile(config, JSON.stringify({ mcpServers }));
  const container = await createContainer(
    readEnv({
      DATABASE_URL: databaseUrl,
      TOOLROOM_LOG_LEVEL: "silent",
      TOOLROOM_CONFIG: config,
      TOOLROOM_SECRET_KEY: "the key of the tests of bad inputs",
      TOOLROOM_SHUTDOWN_GRACE_MS: "50",
    }),
  );
  onTestFinished(container.close);
  const { services, stopping } = container;
  await waitUntil(() => services.tools.list().items.some(({ name }) => name === "offering__show"));
  const context: RequestContext = {
    actor: LOCAL_PRINCIPAL,
    refusal: null,
    sessionId: null,
    source: "api",
    services,
    recheck: async () => LOCAL_PRINCIPAL,
    stopping,
  };
  const { id } = await services.executions.run(LOCAL_PRINCIPAL, { tool: "offering__show", argumentsText: "{}" });
  const reader = { ...LOCAL_PRINCIPAL, id: "olga", name: "Olga", role: "operator" as const };
  const asReader = { ...context, actor: reader, services: container.servicesFor(reader) };
  return { context, asReader, known: listKnown(id) };
}

type Opened = Pick<Awaited<ReturnType<typeof open>>, "context" | "known">;

/** Takes the first two, which are well-formed, and a sample of the others. */
function createChoice(name: string): () => boolean {
  // Thirteen divides no length of a list, so that each place gets other wrong values.
  const isSampled = createSample(13, name);
  let taken = 0;
  return () => {
    taken += 1;
    return taken <= 2 || isSampled();
  };
}

interface Walk {
  types?: readonly string[];
  /** Leaves out what the schema of a procedure refuses, which needs no database and no user. */
  onlyAccepted?: boolean;
}

async function listFaults(
  { context, known }: Opened,
  { types = ["query", "mutation"], onlyAccepted = false }: Walk,
): Promise<string[]> {
  const faults = new Set<string>();
  const inOrder = [...PROCEDURES].sort(([one], [other]) => Number(isDestructive(one)) - Number(isDestructive(other)));
  for (const [name, { _def }] of inOrder) {
    const [input] = _def.inputs;
    if (!types.includes(_def.type) || input === undefined || SKIPPED.has(name)) continue;
    const isChosen = createChoice(name);
    for (const raw of listDistinct(fillWrong(toSchema(input), known))) {
      if (!isChosen()) continue;
      if (onlyAccepted && !input.safeParse(raw).success) continue;
      // A request of its own: the calls of one share a limit of time.
      const ctx = { ...context };
      const call = { router: appRouter, path: name, getRawInput: async () => raw, ctx, type: _def.type };
      const signal = AbortSignal.timeout(20_000);
      await callTRPCProcedure({ ...call, signal, batchIndex: 0 } as never).catch((error: Error & { code?: string }) => {
        if (error.code !== "INTERNAL_SERVER_ERROR" && error.code !== "SERVICE_UNAVAILABLE") return;
        faults.add(`${name}: ${error.code} ${error.message} for ${JSON.stringify(raw).slice(0, 200)}`);
      });
    }
  }
  return [...faults];
}

async function listRestFaults({ context, known }: Opened): Promise<string[]> {
  const faults = new Set<string>();
  const ports = {
    createContext: async () => context,
    version: "1",
    readQuota: async () => null,
    logger: { error: ({ stack }: { stack?: string }) => void faults.add(String(stack)), debug: () => undefined },
  };
  const inOrder = [...ROUTES].sort((one, other) => Number(one.method === "DELETE") - Number(other.method === "DELETE"));
  for (const { method, path: template, query, body } of inOrder) {
    const fill = (schema: Schema) => [...listDistinct(fillWrong(schema, known))];
    const queries = query === undefined ? [{}] : fill(toSchema(query));
    const bodies = method === "GET" || method === "DELETE" ? [undefined] : fill(toSchema(body));
    const paths = template.includes("{") ? WRONG.length : 1;
    const isChosen = createChoice(template);
    for (let at = 0; at < Math.max(queries.length, bodies.length, paths); at += 1) {
      if (!isChosen()) continue;
      const filled = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
        const values = at % 2 === 0 ? (known[name] ?? WRONG) : WRONG;
        return encodeURIComponent(String(values[(at >> 1) % values.length]).toWellFormed()) || "x";
      });
      const address = new URL(`/api/v1${filled}`, "http://localhost");
      for (const [name, value] of Object.entries(queries[at % queries.length] as object)) {
        address.searchParams.set(name, String(value));
      }
      const text = JSON.stringify(bodies[at % bodies.length]);
      const request = new Request(address, { method, ...(text === undefined ? {} : { body: text }) });
      const response = await answerRest(request, ports);
      const answer = response.status >= 500 ? await response.text() : "";
      if (response.status >= 500 && !OWN_SERVER.test(answer)) {
        faults.add(`${method} ${template}: ${response.status} ${answer} for ${address} ${text?.slice(0, 200)}`);
      }
      await response.body?.cancel().catch(() => undefined);
    }
  }
  return [...faults];
}

describe.each([
  ["SQLite", true],
  ["PostgreSQL", HAS_POSTGRES],
])("a mistake in a request (all in continuous integration, elsewhere a sample), on %s", (database, isThere) => {
  it.skipIf(!isThere)("is never an error or an outage of the server", { timeout: 600_000 }, async () => {
    const isFirst = database === "SQLite";
    let url = `file:${await mkdtemp(path.join(os.tmpdir(), "toolroom-bad-"))}/bad.db`;
    if (!isFirst) {
      const created = await createPostgresDatabase({ migrated: true });
      onTestFinished(created.remove);
      url = created.url;
    }
    const opened = await open(url);
    // What a reader may see is asked of the database too.
    const asReader = { ...opened, context: opened.asReader };
    expect(await listFaults(asReader, { types: ["query"], onlyAccepted: true })).toEqual([]);
    expect(await listFaults(opened, { onlyAccepted: !isFirst })).toEqual([]);
    // Routes differ from procedures in what they read of a request, before anything knows a database.
    if (isFirst) expect(await listRestFaults(opened)).toEqual([]);
  });
});
