import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PassThrough } from "node:stream";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import {
  LOCAL_PRINCIPAL,
  type Principal,
  REQUIREMENTS,
  ROLES,
  type Role,
  type Scope,
} from "../../../lib/contract/access";
import { EXIT } from "../../cli/command-error";
import type { CommandIo } from "../../cli/command-io";
import { runCommandLine } from "../../cli/main";
import { CallArguments } from "../../engine/executor/call-arguments";
import type { AnyOperation, OperationContext } from "../../platform/api/operation";
import { performOperation } from "../../platform/api/perform-operation";
import { placeInput } from "../../platform/api/place-input";
import type { ApiContext, RouteInput } from "../../platform/api/route";
import { listOperations, OPERATIONS } from "./operations";
import { ROUTES } from "./rest/routes";
import { appRouter } from "./root";

interface Procedure {
  _def: { type: string; resolver: (options: { ctx: ApiContext; input: unknown }) => Promise<unknown> };
}
interface Entry {
  action: string;
  by: object;
  outcome: string;
}

const procedures = appRouter._def.procedures as unknown as Record<string, Procedure>;
const all = listOperations();
const user = (role: Role): Principal => ({ ...LOCAL_PRINCIPAL, id: "ada", name: "Ada", role });
const SCOPES: readonly Scope[] = ["read", "run", "manage"];
/** The scope that a token needs for what a role may do. */
const SCOPE_OF: Record<Role, Scope> = { viewer: "read", operator: "run", editor: "manage", admin: "manage" };
/** What permissions by input look at. */
const CHECKED = { settings: { transport: "http", url: "" }, servers: [], overrides: [] };
/** Has every property that an operation reads. */
const anything: object = new Proxy(() => undefined, {
  get: (_, name) => (name === "then" ? undefined : name in CHECKED ? Reflect.get(CHECKED, name) : anything),
});
/** The state that permissions and audit entries read of their target, which services return at once. */
const READ: Record<string, object> = {
  "executions.overview": { slowest: [], failing: [] },
  "servers.get": { ...CHECKED, credentials: "personal" },
  "tools.list": { items: [] },
  "tools.summaries": [],
  "toolsets.get": CHECKED,
};

/** A context whose services do nothing and count their calls. */
function open(actor: Principal) {
  const entries: Entry[] = [];
  const called: string[] = [];
  const toService = (noun: string): object =>
    new Proxy(
      {},
      {
        get(_, method) {
          const name = `${noun}.${String(method)}`;
          const found = READ[name];
          const answer = (): object | undefined => {
            called.push(name);
            return found;
          };
          return found === undefined ? async () => answer() : answer;
        },
      },
    );
  const acting = {
    audit: { record: async (entry: Entry) => void entries.push(entry) },
    answered: (work: () => unknown) => work(),
  };
  const services = new Proxy({}, { get: (_, name) => (name === "acting" ? acting : toService(String(name))) });
  const stopping = new AbortController().signal;
  return { entries, called, context: { actor, services, source: "api", stopping } as unknown as ApiContext };
}

const GIVEN = {
  query: {},
  // A choice of executions must not be empty.
  body: { ...CHECKED, ids: ["exec_nothing0"] },
  matchEdit: () => undefined,
  readText: () => "null",
  readArguments: () => CallArguments.from(undefined),
  idempotency: null,
  request: new Request("http://127.0.0.1/"),
  watch: () => () => undefined,
} as unknown as RouteInput<unknown, unknown>;

/** Parameters of a path that are not any text, by their name or by the word before them. */
const PARAMS: Record<string, string> = {
  transcripts: "transcript_nothing0",
  versions: "1",
  program: "cursor",
  step: "1",
  index: "1",
  position: "0",
};

function toGiven(rest: string | null): RouteInput<unknown, unknown> {
  const parts = (rest ?? "").split("/");
  // The name of an execution is the strictest of the others.
  const param = (name: string): string =>
    PARAMS[name] ?? PARAMS[parts[parts.indexOf(`{${name}}`) - 1] ?? ""] ?? "exec_nothing0";
  return { ...GIVEN, param };
}

const isRoleAllowed = (role: Role, { allow }: AnyOperation): boolean =>
  ROLES.indexOf(role) >= ROLES.indexOf(REQUIREMENTS[allow].role);
/** What changes the owner's account needs more than the scope of its role. */
const isScopeAllowed = (scope: Scope, { allow }: AnyOperation): boolean =>
  SCOPES.indexOf(scope) >= SCOPES.indexOf(allow === "own" ? "manage" : SCOPE_OF[REQUIREMENTS[allow].role]);

const findRoute = ({ rest }: AnyOperation) => ROUTES.find(({ method, path }) => `${method} ${path}` === rest);

/** What comes of a request through each door that the operation has. */
async function askDoors({ action, operation }: (typeof all)[number], actor: Principal) {
  const route = findRoute(operation);
  const doors = [operation.onlyRest === undefined && "procedure", route !== undefined && "route"];
  return await Promise.all(
    doors
      .filter((door) => door !== false)
      .map(async (door) => {
        const { context, entries, called } = open(actor);
        const asked =
          door === "procedure"
            ? procedures[action]?._def.resolver({ ctx: context, input: anything })
            : Promise.resolve(route?.answer(context, toGiven(operation.rest)));
        const code = await asked?.then(
          () => "done",
          (error: unknown) => (error as { code?: string }).code ?? "broken",
        );
        return { door, code, entries, isRun: called.length > 0 };
      }),
  );
}

describe("an operation that is declared once", () => {
  it("is behind every procedure and every route, also those of the version before", () => {
    const declared = all.flatMap(({ action, operation }) => (operation.onlyRest === undefined ? [action] : []));
    expect(Object.keys(procedures).sort()).toEqual(declared.sort());
    const routes = all.flatMap(({ operation: { rest, formerly = [] } }) =>
      rest === null ? [] : [rest, ...formerly.map((former) => former.rest)],
    );
    expect(ROUTES.map(({ method, path }) => `${method} ${path}`).sort()).toEqual(routes.sort());
  });

  it("gets an actor without rights to record, and the rights of who asks apart from it, so that admins change views of others", async () => {
    const admin = user("admin");
    const view = { name: "mine", query: "" };
    const views = { update: async (by: Principal) => ({ ...view, role: by.role }) };
    const { context } = open(admin);
    const services = { acting: context.services.acting, views } as unknown as ApiContext["services"];
    const update = all.find(({ action }) => action === "views.update")?.operation;
    if (update === undefined) throw new Error("Views are declared");
    const asked = performOperation("views.update", update, { ...context, services }, { id: "view_1", view });
    expect(await asked).toMatchObject({ role: "admin" });
    const given = { ...update, run: ({ actor }: OperationContext) => actor };
    expect(await performOperation("views.update", given, context, { view })).toEqual({ id: "ada", name: "Ada" });
  });

  it.each(all)("$action has its procedure, and its route or the reason why there is none", ({ action, operation }) => {
    if (operation.onlyRest !== undefined) {
      expect(procedures[action]).toBeUndefined();
      expect(operation.onlyRest).toMatch(/\w+ \w+/);
    } else expect(procedures[action]?._def.type).toBe(operation.kind === "read" ? "query" : "mutation");
    if (operation.rest === null) return expect(operation.unrouted).toMatch(/\w+ \w+/);
    const route = ROUTES.find(({ method, path }) => `${method} ${path}` === operation.rest);
    expect(route).toMatchObject({ summary: operation.summary, permission: operation.allow });
    const { params, body } = placeInput(operation, operation.rest);
    expect(Object.keys(params.shape)).toEqual([...operation.rest.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    if (operation.answeredAs !== undefined) expect(route?.response).toBe(operation.answeredAs.output);
    const whole = operation.sentAs?.body ?? operation.input?.shape[operation.body ?? ""];
    if (operation.body !== undefined) expect(body).toBe(whole);
  });

  it.each(all)(
    "$action is done and recorded for who may do it through either door, and denied to others",
    async (each) => {
      const { action, operation } = each;
      for (const role of ROLES) {
        const isAllowed = isRoleAllowed(role, operation);
        for (const { door, code, entries, isRun } of await askDoors(each, user(role))) {
          if (isAllowed) expect([door, role, isRun]).toEqual([door, role, true]);
          else expect([door, role, code]).toEqual([door, role, "DENIED"]);
          const isRecorded = operation.audit !== undefined && !("unrecorded" in operation.audit);
          const outcome = isAllowed ? (isRecorded && code === "done" ? "done" : null) : "denied";
          const by = { id: "ada", role };
          if (outcome !== null)
            expect(entries).toMatchObject([{ action: operation.recordedAs ?? action, outcome, by }]);
        }
      }
    },
  );

  it.each(all)(
    "$action takes a token with the scope of its permission within its owner's role, through either door",
    async (each) => {
      const { operation } = each;
      for (const role of ROLES) {
        for (const scope of SCOPES) {
          const token = { id: "token_1", scopes: [scope], tools: null, servers: null };
          const isAllowed =
            operation.refusesTokens === undefined && isRoleAllowed(role, operation) && isScopeAllowed(scope, operation);
          for (const { door, code, isRun } of await askDoors(each, { ...user(role), token })) {
            const given = [door, role, scope];
            if (isAllowed) expect([...given, isRun]).toEqual([...given, true]);
            else expect([...given, code]).toEqual([...given, "DENIED"]);
          }
        }
      }
    },
  );

  it.each(all)("$action is denied to a limited token that it does not admit, before anything runs", async (each) => {
    const { action, operation } = each;
    if (operation.forLimitedTokens === true) return;
    const token = { id: "token_1", scopes: ["read", "run", "manage"], tools: ["none"], servers: null };
    const { context } = open({ ...user("admin"), token } as unknown as Principal);
    const run = vi.fn();
    const asked = performOperation(action, { ...operation, run }, context, anything);
    await expect(asked).rejects.toMatchObject({ code: "DENIED" });
    expect(run).not.toHaveBeenCalled();
  });

  const forUsers = all.filter(({ operation }) => operation.refusesTokens !== undefined);
  it.each(forUsers)("$action is denied to every API token through either door, before anything runs", async (each) => {
    const { action, operation } = each;
    expect(operation.refusesTokens).toMatch(/^A token cannot \w+.*: /);
    const token = { id: "token_1", scopes: ["manage"], tools: null, servers: null };
    const { context, entries } = open({ ...user("admin"), token } as unknown as Principal);
    const denied = { code: "DENIED", message: operation.refusesTokens };
    await expect(procedures[action]?._def.resolver({ ctx: context, input: anything })).rejects.toMatchObject(denied);
    const route = ROUTES.find(({ method, path }) => `${method} ${path}` === operation.rest);
    if (route !== undefined) await expect(route.answer(context, toGiven(operation.rest))).rejects.toMatchObject(denied);
    const run = vi.fn();
    await expect(performOperation(action, { ...operation, run }, context, anything)).rejects.toMatchObject(denied);
    expect(run).not.toHaveBeenCalled();
    expect(new Set(entries.map(({ outcome }) => outcome))).toEqual(new Set(["denied"]));
  });

  it.each(all.filter(({ operation }) => operation.kind === "act"))(
    "$action records a target or says why not",
    async (each) => {
      const { audit } = each.operation;
      if (audit === undefined || "unrecorded" in audit) return expect(audit?.unrecorded).toMatch(/\w+ \w+/);
      const { context, entries } = open(user(REQUIREMENTS[each.operation.allow].role));
      await performOperation(each.action, { ...each.operation, run: () => anything }, context, anything);
      expect(entries).toEqual([expect.objectContaining({ outcome: "done", target: expect.anything() })]);
    },
  );
});

describe("a declared command", () => {
  const requests: { route: string; body: string }[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      requests.push({ route: `${request.method} ${request.url}`, body: Buffer.concat(parts).toString() });
      response.setHeader("content-type", "application/json");
      response.end('{"items":[{"id":"nothing","name":"nothing"}],"nextCursor":null}');
    });
  });
  beforeAll(() => new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve)));
  afterAll(() => new Promise((resolve) => void server.close(resolve)));

  const commands = OPERATIONS.flatMap(({ noun, commands: place = {}, each }) => {
    const group = "under" in place ? place.under : ((place as { name?: string }).name ?? noun);
    return Object.values(each).flatMap((operation) =>
      operation.cli === undefined ? [] : [{ group, operation, cli: operation.cli }],
    );
  });

  it.each(commands)(
    "$group $cli.words asks its own route with fields of its input",
    async ({ group, operation, cli }) => {
      requests.length = 0;
      const { port } = server.address() as AddressInfo;
      const [name = "", ...words] = cli.words.split(" ");
      const json = operation.output === undefined || operation.download !== undefined ? [] : ["--json"];
      const stdin = new PassThrough();
      stdin.end("nothing");
      const flags = Object.values(cli.options ?? {}).flatMap(([text]) => text.replace(/<\w+>/, "1").split(" "));
      const io = {
        stdin,
        stdout: new PassThrough().resume(),
        stderr: new PassThrough().resume(),
        env: { TOOLROOM_URL: `http://127.0.0.1:${port}` },
        signal: new AbortController().signal,
        version: "0",
      } as unknown as CommandIo;
      const path = group === "" ? [name] : [group, name];
      const given = words.map((word) => (word === "<file>" ? "-" : "nothing"));
      expect(await runCommandLine([...path, ...given, ...flags, ...json], io)).not.toBe(EXIT.usage);
      const rest = operation.rest ?? "";
      const asked = requests.at(-1);
      expect(asked?.route.split("?")[0]).toBe(rest.replace(" ", " /api/v1").replace(/\{\w+\}/g, "nothing"));
      const { body } = placeInput(operation, rest);
      if (asked !== undefined && asked.body !== "") {
        expect(Object.keys(body?.shape ?? {})).toEqual(expect.arrayContaining(Object.keys(JSON.parse(asked.body))));
      }
    },
  );
});
