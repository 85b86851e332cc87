import { readdir, readFile } from "node:fs/promises";
import { callTRPCProcedure } from "@trpc/server";
import { describe, expect, it } from "vitest";
import type { Principal } from "../../lib/contract/access";
import { createSample } from "../../lib/sample.test-support";
import { waitUntil } from "../../lib/wait-until.test-support";
import { rawClient } from "../mcp/gateway/gateway-container.test-support";
import { answerAuditExport, answerExecutionsExport } from "./api/answer-exports";
import type { RequestContext } from "./api/context";
import {
  fillSchema,
  listDistinct,
  PROCEDURES,
  type Procedure,
  type Schema,
  toSchema,
} from "./api/fill-schema.test-support";
import { answerRest } from "./api/rest/answer-rest";
import { ROUTES } from "./api/rest/routes";
import { appRouter } from "./api/root";
import type { Container } from "./container";
import { ADA, INTERNAL_TOOLS, MARK, openMail, READERS } from "./private-calls.test-support";

type Mail = Awaited<ReturnType<typeof openMail>>;
type Candidates = Record<string, readonly unknown[]>;

/** Values by the name of a property: the ids and names that lead to the private calls. */
function listCandidates(mail: Mail): Candidates {
  const executions = [mail.read.id, mail.refused.id, mail.invalid.id, mail.waiting.id, mail.viaAgent];
  const ids = [...executions, mail.run.id, mail.replayed.id, mail.transcript];
  return {
    id: ids,
    ids,
    executionId: executions,
    executionIds: executions,
    callExecutionId: ["exec_walk0000000001"],
    parentId: executions,
    originalId: executions,
    runId: [mail.run.id],
    run: [mail.run.id, mail.replayed.id],
    name: ["mail__read", "mail", "mail__refuse", "read"],
    tool: ["mail__read", "mail__refuse", "read"],
    tools: ["mail__read", "read"],
    server: ["mail"],
    servers: ["mail"],
    serverName: ["mail"],
    expression: ["@"],
    q: [MARK, MARK.slice(0, 6)],
    query: [MARK],
    argumentsText: ['{"query":"other"}', "{}"],
    arguments: ['{"query":"other"}', "{}"],
    zone: ["UTC"],
    view: ["every"],
    actor: [ADA.id],
    user: [ADA.id],
    client: ["ada-agent"],
    program: ["cursor"],
    by: ["tool"],
    step: ["1"],
    position: ["0"],
    index: ["1"],
    number: ["1"],
    kind: ["tool"],
    settings: [{ name: "extra", transport: "http", url: "http://127.0.0.1:9/mcp" }],
    origin: ["http://localhost"],
    url: ["https://hooks.example.invalid/"],
    email: ["new@x.test"],
    next: ["a long enough password"],
  };
}

const VARIANTS = 8;
/** What shows contents of calls to who may read them. */
const SHOWING = {
  procedures: [
    "approvals.get",
    "approvals.list",
    "bundles.export",
    "executions.get",
    "executions.list",
    "executions.toolStatistics",
    "lenses.example",
    "lenses.failures",
    "runs.events",
    "runs.get",
    "runs.list",
    "sampling.list",
    "suites.propose",
  ],
  routes: [
    "GET /approvals",
    "GET /executions",
    "GET /executions/export",
    "GET /executions/{id}",
    "GET /executions/{id}/bundle",
    "GET /runs/{id}",
    "GET /runs/{id}/events",
  ],
};

type Route = (typeof ROUTES)[number];
/** Chooses, by a name, which inputs are taken of those after the first that is accepted. */
type Choice = (name: string) => () => boolean;
const takeAll: Choice = () => () => true;
const takeSample: Choice = (name) => createSample(5, name);

/** Inputs that name the private calls, with and without what is optional. */
function fillAll(schema: Schema, candidates: Candidates): unknown[] {
  return [...listDistinct(fillEach(schema, candidates))];
}

function fillEach(schema: Schema, candidates: Candidates): unknown[] {
  const text = (variant: number) => (at: string) => {
    const name = at.split("/").findLast((part) => !/^\d+$/.test(part)) ?? "";
    const known = candidates[name] ?? ["x"];
    return known[variant % known.length];
  };
  return Array.from({ length: VARIANTS }, (_, variant) => variant).flatMap((variant) => [
    fillSchema(schema, { text: text(variant), keeps: () => false }),
    fillSchema(schema, { text: text(variant), keeps: (at) => variant % 2 === 0 || /\/(filter|q|id|ids)$/.test(at) }),
    ...["filter", "q"].map((only) =>
      fillSchema(schema, { text: text(variant), keeps: (at) => at.endsWith(`/${only}`) || at.endsWith("/filter") }),
    ),
  ]);
}

/** Inputs that no schema leads to. */
function listInputs(mail: Mail): Record<string, readonly unknown[]> {
  const closed = { type: "object", properties: { other: {} }, additionalProperties: false };
  const tools = [{ name: "read", description: "Reads mail", inputSchema: closed }];
  return {
    "changes.check": [{ name: "mail", tools, calls: 100, last: "30d" }],
    "cassettes.create": [
      { name: "all-calls", choice: { filter: {} }, tools: "called" },
      { name: "its-calls", choice: { ids: [mail.read.id] }, tools: "called" },
    ],
    "clients.readList": [{ client: "ada-agent", hash: "0000abcd" }],
    "clients.compareLists": [{ client: "ada-agent", hash: "0000abcd", other: "0000abce" }],
    "suites.startReplay": [{ ids: [mail.read.id] }, { filter: { q: MARK } }],
    "runs.rerun": [{ id: mail.run.id, fromStep: 1, results: "recorded" }],
  };
}

/** Ends what would outlive the walk, or leave too little to read: they come last. */
const isDestructive = (path: string): boolean =>
  /\b(delete|remove|update|save|set|import|restore|sign|cancel|reconnect|disconnect|decide|end|close|revoke|stop|append|change)/i.test(
    path,
  );

const contextFor = ({ servicesFor, stopping }: Container, actor: Principal): RequestContext => ({
  actor,
  refusal: null,
  sessionId: null,
  source: "console",
  services: servicesFor(actor),
  recheck: async () => actor,
  stopping,
});

async function callProcedure(path: string, { _def }: Procedure, raw: unknown, ctx: RequestContext): Promise<string> {
  const call = { router: appRouter, path, getRawInput: async () => raw, ctx, type: _def.type, batchIndex: 0 };
  const signal = AbortSignal.timeout(5_000);
  try {
    const value: unknown = await callTRPCProcedure({ ...call, signal } as never);
    return JSON.stringify(value) ?? "";
  } catch (error) {
    const { message, cause } = error as Error & { cause?: unknown };
    return `${message} ${JSON.stringify(cause)}`;
  }
}

function* listProcedureInputs(mail: Mail, path: string, { _def }: Procedure): Generator<unknown> {
  yield* listInputs(mail)[path] ?? [];
  if (_def.inputs[0] === undefined) yield undefined;
  else yield* fillAll(toSchema(_def.inputs[0]), listCandidates(mail));
}

const inOrder = [...PROCEDURES].sort(([one], [other]) => Number(isDestructive(one)) - Number(isDestructive(other)));

/** Which procedures show the mark to a reader, and which had no input that they accept. */
async function walkProcedures(
  mail: Mail,
  actor: Principal,
  wanted: (path: string) => boolean,
  choose: Choice = takeSample,
) {
  const shown = new Set<string>();
  const unreached: string[] = [];
  for (const [path, procedure] of inOrder) {
    if (procedure._def.type === "subscription" || !wanted(path)) continue;
    let isReached = false;
    const isSampled = choose(actor.id + path);
    for (const raw of listProcedureInputs(mail, path, procedure)) {
      if (isReached && !isSampled()) continue;
      // What the reader asks for is no disclosure.
      const answer = await callProcedure(path, procedure, raw, contextFor(mail.container, actor));
      isReached ||= procedure._def.inputs[0]?.safeParse(raw).success ?? true;
      if (withoutAsked(answer, raw).includes(MARK)) shown.add(path);
    }
    if (!isReached) unreached.push(path);
  }
  return { shown: [...shown].sort(), unreached };
}

/** An answer may repeat the words that were searched for. */
function withoutAsked(answer: string, asked: unknown): string {
  const isAsked = (JSON.stringify(asked) ?? "").includes(MARK);
  return isAsked ? answer.replaceAll(/"(q|query)":"[^"]*"/g, "") : answer;
}

function* listRequests(mail: Mail, { method, path, query, body }: Route): Generator<Request> {
  const candidates = listCandidates(mail);
  const queries = query === undefined ? [{}] : fillAll(toSchema(query), candidates);
  const bodies = method === "GET" || method === "DELETE" ? [undefined] : fillAll(toSchema(body), candidates);
  for (let variant = 0; variant < Math.max(queries.length, bodies.length, VARIANTS); variant += 1) {
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
      const known = candidates[name] ?? ["x"];
      return encodeURIComponent(String(known[variant % known.length]));
    });
    const address = new URL(`http://localhost/api/v1${filled}`);
    for (const [name, value] of Object.entries(queries[variant % queries.length] as object)) {
      address.searchParams.set(name, String(value));
    }
    const text = JSON.stringify(bodies[variant % bodies.length]);
    yield new Request(address, { method, ...(text === undefined ? {} : { body: text }) });
  }
}

async function walkRoutes(
  mail: Mail,
  actor: Principal,
  wanted: (route: Route) => boolean,
  choose: Choice = takeSample,
) {
  const shown = new Set<string>();
  const reached = new Set<string>();
  const context = contextFor(mail.container, actor);
  const routes = [...ROUTES].sort((one, other) => Number(one.method === "DELETE") - Number(other.method === "DELETE"));
  for (const route of routes.filter(wanted)) {
    const name = `${route.method} ${route.path}`;
    const isSampled = choose(actor.id + name);
    for (const request of listRequests(mail, route)) {
      if (reached.has(name) && !isSampled()) continue;
      const asked = await request.clone().text();
      const response = await answerRest(request, {
        createContext: async () => context,
        version: "1",
        readQuota: async () => null,
        logger: { error: () => undefined, debug: () => undefined },
      });
      const text = await response.text();
      if (response.status !== 400 && response.status !== 422) reached.add(name);
      if (withoutAsked(text, `${request.url} ${asked}`).includes(MARK)) shown.add(name);
    }
  }
  return { shown: [...shown].sort(), reached };
}

describe("a call with a colleague's personal credential", { timeout: 900_000 }, () => {
  it("is shown by no procedure, route, export, MCP method or live event to users who may not read it (all inputs in continuous integration, elsewhere a sample)", async () => {
    const mail = await openMail();
    const { container, heard } = mail;
    const problems: Record<string, unknown> = {};
    const reached = new Set<string>();

    // Its owner finds the mark where contents are shown: the walk sees what it looks for.
    const seen = await walkProcedures(mail, ADA, (path) => SHOWING.procedures.includes(path), takeAll);
    expect(seen.shown).toEqual(SHOWING.procedures);
    const isShowing = ({ method, path }: Route): boolean => SHOWING.routes.includes(`${method} ${path}`);
    expect((await walkRoutes(mail, ADA, isShowing, takeAll)).shown).toEqual(SHOWING.routes);
    await waitUntil(() => (heard.get(ADA.id) ?? "").includes(MARK));
    expect(mail.answers.again).toContain(MARK);

    for (const reader of READERS) {
      const { shown, unreached } = await walkProcedures(mail, reader, (path) => !isDestructive(path));
      if (shown.length > 0) problems[`${reader.role} procedures`] = shown;
      if (unreached.length > 0) problems[`${reader.role} unreached`] = unreached;
      const routes = await walkRoutes(mail, reader, ({ method }) => method === "GET" || method === "POST");
      if (routes.shown.length > 0) problems[`${reader.role} routes`] = routes.shown;
      for (const name of routes.reached) reached.add(name);
      for (const format of ["jsonl", "csv"]) {
        const filter = encodeURIComponent(JSON.stringify({ server: "mail" }));
        const request = new Request(`http://localhost/api/executions/export?format=${format}&filter=${filter}`);
        const text = await (await answerExecutionsExport(request, contextFor(container, reader))).text();
        if (text.includes(MARK)) problems[`${reader.role} export ${format}`] = text;
      }
      const audit = new Request("http://localhost/api/audit/export?format=jsonl");
      const text = await (await answerAuditExport(audit, contextFor(container, reader))).text();
      if (text.includes(MARK)) problems[`${reader.role} audit`] = text;
    }
    for (const reader of READERS.slice(1)) {
      const { text: token } = await container.services.tokens.create(reader, {
        name: "program",
        scopes: ["run"],
        tools: null,
        servers: null,
        validDays: 30,
      });
      for (const protocol of ["2025-11-25", "2026-07-28"] as const) {
        const client = await rawClient(mail.gateway.url, protocol, { token });
        const ids = [mail.read.id, mail.refused.id, mail.waiting.id, mail.viaAgent, mail.run.id];
        const calls = ids.flatMap((id) => [
          { name: "get_execution", arguments: { id } },
          { name: "read_result", arguments: { execution_id: id } },
        ]);
        const others = INTERNAL_TOOLS.map((name) => ({ name, arguments: {} }));
        const search = { name: "search_executions", arguments: { server: "mail", limit: 100 } };
        for (const params of [...calls, ...others, search]) {
          const answer = JSON.stringify(await client.ask("tools/call", params));
          if (answer.includes(MARK)) problems[`${reader.role} ${protocol} ${JSON.stringify(params)}`] = answer;
        }
        for (const method of ["tools/list", "resources/list", "prompts/list", "tasks/list"]) {
          if (JSON.stringify(await client.ask(method)).includes(MARK)) problems[`${reader.role} ${method}`] = method;
        }
        for (const taskId of ids) {
          for (const method of ["tasks/get", "tasks/result"]) {
            if (JSON.stringify(await client.ask(method, { taskId })).includes(MARK))
              problems[`${method} ${taskId}`] = 1;
          }
        }
      }
    }
    // What changes things comes last, by the reader who may change the most.
    for (const reader of READERS) {
      const { shown, unreached } = await walkProcedures(mail, reader, isDestructive);
      if (shown.length > 0) problems[`${reader.role} changes`] = shown;
      if (unreached.length > 0) problems[`${reader.role} unreached changes`] = unreached;
      const routes = await walkRoutes(mail, reader, ({ method }) => method !== "GET" && method !== "POST");
      if (routes.shown.length > 0) problems[`${reader.role} changing routes`] = routes.shown;
      for (const name of routes.reached) reached.add(name);
    }
    const unreached = ROUTES.map(({ method, path }) => `${method} ${path}`).filter((name) => !reached.has(name));
    if (unreached.length > 0) problems.unreachedRoutes = unreached;
    const deliveries = mail.raw.prepare<[], { body: string }>(`SELECT body FROM "WebhookDelivery"`).all();
    expect(deliveries.length).toBeGreaterThan(0);
    if (JSON.stringify(deliveries).includes(MARK)) problems.webhooks = deliveries;
    for (const { id } of READERS) if ((heard.get(id) ?? "").includes(MARK)) problems[`${id} live`] = heard.get(id);
    expect(problems).toEqual({});
  });

  it("is read from the database by the log of executions, and by stores whose services know who reads", async () => {
    const files = (await readdir("src/server", { recursive: true }))
      .map((file) => file.replaceAll("\\", "/"))
      .filter((file) => /\/db\/.*\.ts$/.test(file) && !/executions\/db\/|generated|\.test/.test(file));
    const readers: string[] = [];
    for (const file of files) {
      const text = await readFile(`src/server/${file}`, "utf8");
      if (/(?:FROM|JOIN) "Execution"|prisma\.execution\b/.test(text)) readers.push(file);
    }
    expect(readers.filter((file) => !file.startsWith("calls/statistics/")).sort()).toEqual([
      // Restricted by `restrict-services.ts`.
      "calls/approvals/db/approval-statements.ts",
      "calls/approvals/db/approval-store.ts",
      // Sums of costs, of which users read their own.
      "calls/spend/db/spend-sql.ts",
      // Names of tools alone.
      "features/alerts/db/alert-store.ts",
      // The newest time alone.
      "features/audit/db/audit-store.ts",
      // Seals whole rows, and gives none out.
      "features/audit/db/digest-store.ts",
      // Verdicts name parameters, never values.
      "features/changes/db/traffic-store.ts",
      // Restricted by `restrict-services.ts`.
      "features/lenses/db/lens-store.ts",
      // Restricted by `restrict-services.ts`.
      "features/rules/db/call-reads.ts",
      // How many calls a user made of a tool, never which.
      "features/rules/db/counted-calls.ts",
      // The API token alone.
      "features/rules/db/rule-store.ts",
      // Which runs retention keeps.
      "features/runs/db/kept-runs.ts",
      // Counts of requests and tokens.
      "features/sampling/db/sampling-store.ts",
    ]);
  });
});
