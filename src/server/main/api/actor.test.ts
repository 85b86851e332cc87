import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../lib/contract/access";
import { procedures, router } from "../../platform/api/trpc";
import type { ApiContext } from "./context";
import { listOperations } from "./operations";
import { appRouter } from "./root";

/** Sent by POST because of long texts or secrets; they change and run nothing. */
const READS_BY_POST = [
  "lenses.example",
  "lenses.preview",
  "servers.checkSettings",
  "servers.parseImport",
  "tools.checkDefinition",
  "tools.validateArguments",
  "toolsets.preview",
];
/** Done by other operations, each with its own entry. */
const COMPOSED = ["tools.set"];
/** Queries that ask another system in the actor's name. */
const REQUESTS = ["models.available", "content.prompts", "content.resources", "skills.list"];

interface Procedure {
  _def: { type: string; resolver: (options: { ctx: ApiContext; input: unknown }) => unknown };
}

type Acting = [path: string, act: (ctx: ApiContext) => unknown];

const listProcedures = (root: { _def: { procedures: object } }): [string, Procedure][] =>
  Object.entries(root._def.procedures as Record<string, Procedure>);

const toActing = (procedures: [string, Procedure][]): Acting[] =>
  procedures.map(([path, { _def }]) => [path, (ctx) => _def.resolver({ ctx, input: anyInput })]);

/** Declared operations: `operations.test.ts` sends them through their doors, which pass the actor to `run`. */
const listDeclared = (): Acting[] =>
  listOperations()
    .filter(({ action, operation }) => operation.kind === "act" || REQUESTS.includes(action))
    .filter(({ action }) => !READS_BY_POST.includes(action) && !COMPOSED.includes(action))
    .map(({ action, operation }) => [
      action,
      (ctx) => operation.run({ ...ctx, principal: ctx.actor, sent: null }, anyInput as never),
    ]);

/** Has every property that a procedure reads of its input, so that no procedure needs a valid input here. */
const anyInput: object = new Proxy(() => undefined, { get: () => anyInput });

/** Those whose one service call does not begin with the actor of the context. */
async function withoutActor(acting: Acting[]): Promise<string[]> {
  const actor = { ...LOCAL_PRINCIPAL, id: "ada", name: "Ada" };
  const found: string[] = [];
  for (const [path, act] of acting) {
    const calls: unknown[][] = [];
    const record = async (...args: unknown[]): Promise<void> => void calls.push(args);
    const service = new Proxy({}, { get: () => record });
    const services = new Proxy({}, { get: () => service }) as ApiContext["services"];
    const request = { source: "api", sessionId: null, recheck: async () => actor } as const;
    const ctx: ApiContext = { actor, ...request, services, stopping: new AbortController().signal };
    // The service returns nothing, which an answer may need.
    await Promise.resolve(act(ctx)).catch(() => undefined);
    if (calls.length !== 1 || calls[0]?.[0] !== actor) found.push(path);
  }
  return found;
}

describe("the actor of a request", () => {
  it("reaches the service in every procedure that changes or runs something", async () => {
    const procedures = listProcedures(appRouter);
    const paths = procedures.map(([path]) => path);
    expect(paths).toEqual(expect.arrayContaining([...READS_BY_POST, ...REQUESTS]));
    const declared = new Set(listOperations().map(({ action }) => action));
    const acting = procedures.filter(([path, { _def }]) =>
      _def.type === "mutation" ? !READS_BY_POST.includes(path) : REQUESTS.includes(path),
    );
    const others = toActing(acting.filter(([path]) => !declared.has(path)));
    expect(others.length + listDeclared().length).toBeGreaterThan(60);
    expect(await withoutActor([...others, ...listDeclared()])).toEqual([]);
  });

  it("is reported missing where a procedure passes another actor, or none", async () => {
    const other = { ...LOCAL_PRINCIPAL, id: "bob", name: "Bob" };
    const wrong = router({
      none: procedures.act.mutation(({ ctx }) => ctx.services.executions.facets()),
      other: procedures.act.mutation(({ ctx }) => ctx.services.executions.replay(other, "exec_1")),
      late: procedures.act.mutation(({ ctx }) =>
        (ctx.services.executions.get as (...args: unknown[]) => unknown)("x", ctx.actor),
      ),
      right: procedures.act.mutation(({ ctx }) => ctx.services.executions.replay(ctx.actor, "exec_1")),
    });
    expect(await withoutActor(toActing(listProcedures(wrong)))).toEqual(["none", "other", "late"]);
  });
});
