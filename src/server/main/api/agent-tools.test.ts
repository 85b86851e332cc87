import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../lib/contract/access";
import { PROVIDERS, TOOL_NAME_PATTERN } from "../../../lib/contract/tool-definition";
import { reductionFor } from "../../../lib/schema/providers/provider-schema";
import { createToolEngine } from "../../create-tool-engine";
import type { AgentToolCall } from "../../engine/agent/agent-tool";
import type { AnyOperation } from "../../platform/api/operation";
import type { ApiContext, RouteInput } from "../../platform/api/route";
import { findAppError } from "../../platform/shared/app-error";
import { OWN_TOOLS } from "../own-tools";
import { listOperations } from "./operations";
import { ROUTES } from "./rest/routes";

const tools = await OWN_TOOLS.load();

function findOperation(wanted: string): AnyOperation {
  const found = listOperations().find(({ action }) => action === wanted)?.operation;
  if (found === undefined) throw new Error(`${wanted} is not declared`);
  return found;
}

/** The shortest limits of providers on names and descriptions. */
const MAX_NAME_CHARS = 64;
const MAX_DESCRIPTION_CHARS = 1024;

const LIMITED: Principal = {
  ...LOCAL_PRINCIPAL,
  id: "ada",
  token: { id: "t", name: "limited", scopes: ["manage"], tools: ["echo"], servers: null },
};
const READER: Principal = {
  ...LIMITED,
  token: { id: "r", name: "reader", scopes: ["read"], tools: null, servers: null },
};

/** Arguments that the schemas take. */
const ARGUMENTS: Record<string, Record<string, string>> = {
  tool_stats: { tool: "echo" },
  get_execution: { id: "exec_nothing0" },
  replay_execution: { id: "exec_nothing0" },
  explain_missing_tool: { client: "claude-code", tool: "echo" },
  check_client: { program: "cursor" },
  explain_call: { tool: "echo" },
  save_test: { executionId: "exec_nothing0", suite: "smoke" },
};

/** A context whose services answer with nothing, which may fail later: denials come before. */
function open(actor: Principal) {
  const denied: string[] = [];
  const noun = new Proxy({}, { get: () => async () => undefined });
  const acting = {
    audit: {
      record: async ({ action, outcome }: { action: string; outcome: string }) => {
        if (outcome === "denied") denied.push(action);
      },
    },
    answered: (work: () => unknown) => work(),
  };
  const services = new Proxy({}, { get: (_, name) => (name === "acting" ? acting : noun) });
  const stopping = new AbortController().signal;
  const call: AgentToolCall = { caller: actor, readsAs: null, services, stopping };
  return { denied, call, context: { actor, services, source: "api", stopping } as unknown as ApiContext };
}

const codeOf = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => "done",
    (error: unknown) => findAppError(error)?.code ?? "failed",
  );

describe("an operation that agents get as a tool", () => {
  it("IMPL-06 has a name of its own, which a server knows before it loads the declarations", () => {
    expect(tools.map(({ name }) => name).sort()).toEqual([...OWN_TOOLS.names].sort());
    for (const { name } of tools) expect(name).toMatch(TOOL_NAME_PATTERN);
  });

  it.each(tools)("FMT-01 $name fits the limits of every provider whole", ({ definition }) => {
    const { registry } = createToolEngine();
    expect(registry.register(definition)).toMatchObject({ name: definition.name });
    expect(definition.name.length).toBeLessThanOrEqual(MAX_NAME_CHARS);
    expect(definition.description.length).toBeLessThanOrEqual(MAX_DESCRIPTION_CHARS);
    for (const provider of PROVIDERS) {
      expect(registry.toProviderFormat(provider)).toHaveLength(1);
      expect(reductionFor(provider, definition.parameters)).toMatchObject({ cuts: 0, shortened: false });
    }
  });

  it.each(tools)("$name says truly whether it only reads", ({ action, definition }) => {
    const operation = findOperation(action);
    const isHarmlessAct = operation.kind === "act" && operation.agent?.onlyReads === true;
    if (isHarmlessAct) expect(operation.audit).toEqual({ unrecorded: "It changes nothing" });
    expect(definition.annotations).toMatchObject({
      readOnlyHint: operation.kind === "read" || isHarmlessAct,
      destructiveHint: operation.kind === "act" && operation.agent?.adds !== true && !isHarmlessAct,
    });
  });

  it.each(tools)("$name is denied to a token as its REST route is, and the denial is recorded", async (tool) => {
    const { rest, forLimitedTokens } = findOperation(tool.action);
    const route = ROUTES.find(({ method, path }) => `${method} ${path}` === rest);
    for (const actor of [LIMITED, READER]) {
      const asTool = open(actor);
      const code = await codeOf(tool.perform(asTool.call, ARGUMENTS[tool.name] ?? {}));
      if (route === undefined) continue;
      const asRoute = open(actor);
      const given = {
        query: ARGUMENTS[tool.name] ?? {},
        body: ARGUMENTS[tool.name] ?? {},
        param: (name: string) => ARGUMENTS[tool.name]?.[name] ?? "exec_nothing0",
        matchEdit: () => undefined,
        idempotency: null,
        request: new Request("http://127.0.0.1/"),
      } as unknown as RouteInput<unknown, unknown>;
      const atRest = await codeOf(Promise.resolve(route.answer(asRoute.context, given)));
      expect([actor.token?.id, code === "DENIED"]).toEqual([actor.token?.id, atRest === "DENIED"]);
      expect(asTool.denied).toEqual(asRoute.denied);
    }
    const code = await codeOf(tool.perform(open(LIMITED).call, ARGUMENTS[tool.name] ?? {}));
    expect(code === "DENIED").toBe(forLimitedTokens === undefined);
  });

  it.each(tools)("$name names an argument that it does not have", async (tool) => {
    const given = { ...ARGUMENTS[tool.name], nonsense: 1 };
    await expect(tool.perform(open(LOCAL_PRINCIPAL).call, given)).rejects.toThrow(/nonsense/);
  });
});
