import { describe, expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal, type Role, type Scope } from "../../../lib/contract/access";
import type { ApiContext, RequestContext } from "./context";
import { listOperations } from "./operations";
import { appRouter } from "./root";

/** What these give would outlive a token. */
const NO_TOKENS = new Set(
  listOperations().flatMap(({ action, operation }) => (operation.refusesTokens === undefined ? [] : [action])),
);

interface Procedure {
  _def: { type: string; resolver: (options: { ctx: ApiContext; input: unknown }) => unknown };
}

const procedures = Object.entries(appRouter._def.procedures as unknown as Record<string, Procedure>);
const INPUT = {
  mode: "always",
  overrides: [],
  settings: { transport: "http", url: "", source: { kind: "push" } },
  servers: [{ settings: { transport: "http" }, enabled: true }],
};
/** Has every property that a procedure reads but is no promise; these are real, since rules look at them. */
const input: object = new Proxy(() => undefined, {
  get: (_, name) => (name === "then" || name in INPUT ? Reflect.get(INPUT, name) : input),
});

/** The state that rules read of their target. */
const GOT: Record<string, (transport: string) => object> = {
  // Everyone who may run calls signs in at one with personal credentials.
  servers: (transport) => ({ settings: { transport }, credentials: "personal" }),
  tools: () => ({ server: null }),
  toolsets: () => ({ overrides: [] }),
};

/** Whether a service is reached. */
async function reaches({ _def }: Procedure, actor: Principal, transport = "http"): Promise<boolean> {
  const service = (name: string): object =>
    new Proxy({}, { get: (_, method) => (method === "get" ? () => GOT[name]?.(transport) : () => undefined) });
  const acting = { audit: { record: async () => undefined }, answered: (work: () => unknown) => work() };
  const named = { get: (_: object, name: string | symbol) => (name === "acting" ? acting : service(String(name))) };
  const services = new Proxy({}, named) as ApiContext["services"];
  const ctx = {
    actor,
    source: "api" as const,
    sessionId: null,
    services,
    recheck: async () => actor,
    stopping: new AbortController().signal,
  };
  try {
    await _def.resolver({ ctx, input });
    return true;
  } catch (error) {
    if ((error as { code?: string }).code === "DENIED") return false;
    throw error;
  }
}

const user = (role: Role): Principal => ({ ...LOCAL_PRINCIPAL, id: "ada", name: "Ada", role });
const token = (role: Role, scope: Scope, limits: Partial<Principal["token"]> = {}): Principal => ({
  ...user(role),
  token: { id: "t", scopes: [scope], tools: null, servers: null, ...limits },
});

describe("who may call which procedure", () => {
  it("takes a user, no token, where it gives access that outlives the token", () => {
    expect([...NO_TOKENS].sort()).toEqual([
      "account.changePassword",
      "account.endAllSessions",
      "account.endSession",
      "people.createReset",
      "people.invite",
      "people.setRole",
      "people.unlock",
      "scim.createToken",
      "scim.saveRoles",
      "serviceAccounts.createToken",
      "serviceAccounts.setRole",
      "tokens.create",
    ]);
  });

  it("a server that is started by a command, or is sent a variable of the environment, is changed by admins only", async () => {
    const commands = ["servers.delete", "servers.setEnabled", "servers.update"];
    for (const [path, procedure] of procedures.filter(([each]) => commands.includes(each))) {
      expect([path, await reaches(procedure, user("editor"), "stdio")]).toEqual([path, false]);
      expect([path, await reaches(procedure, user("admin"), "stdio")]).toEqual([path, true]);
    }
    const add = new Map(procedures).get("servers.create");
    for (const [transport, url] of [
      ["stdio", ""],
      ["http", `https://collect.example/$${"{SECRET}"}`],
    ]) {
      INPUT.settings = { ...INPUT.settings, transport: transport ?? "", url: url ?? "" };
      try {
        expect(add && (await reaches(add, user("editor")))).toBe(false);
        expect(add && (await reaches(add, user("admin")))).toBe(true);
      } finally {
        INPUT.settings = { ...INPUT.settings, transport: "http", url: "" };
      }
    }
  });

  it("a file of the machine is read as a document by admins only, whatever transport the settings name", async () => {
    const read = new Map(procedures).get("servers.describeDocument");
    const { settings } = INPUT;
    try {
      Object.assign(INPUT, { settings: { ...settings, document: { from: "file", path: "/etc/hosts" } } });
      expect(read && (await reaches(read, user("editor")))).toBe(false);
      expect(read && (await reaches(read, user("admin")))).toBe(true);
    } finally {
      INPUT.settings = settings;
    }
  });

  it("a token that is limited to tools runs these, and no others", async () => {
    const run = new Map(procedures).get("executions.run");
    const limited = { tools: ["echo"], servers: ["files"] };
    const runs = (name: string): Promise<unknown> => {
      const acting = { audit: { record: async () => undefined }, answered: (work: () => unknown) => work() };
      const services = { executions: { run: async () => "ran" }, acting };
      const ctx = { actor: token("editor", "run", limited), services, source: "api" } as unknown as ApiContext;
      return Promise.resolve().then(() => run?._def.resolver({ ctx, input: { name } }));
    };
    expect(await runs("echo")).toBe("ran");
    expect(await runs("files__read")).toBe("ran");
    for (const tool of ["other", "filesystem__read", "files", "echo__x"]) {
      await expect(runs(tool)).rejects.toMatchObject({ code: "DENIED" });
    }
  });

  it("nobody may call any, whatever the input is", async () => {
    const denials: object[] = [];
    const caller = (more: Partial<RequestContext>) =>
      appRouter.createCaller({
        actor: null,
        refusal: null,
        sessionId: null,
        source: "api",
        services: { auditLog: { recordDenial: async (denial: object) => void denials.push(denial) } } as never,
        recheck: async () => null,
        stopping: new AbortController().signal,
        ...more,
      }) as unknown as Record<string, Record<string, (input: unknown) => Promise<unknown>>>;
    for (const [path] of procedures) {
      const [area = "", name = ""] = path.split(".");
      await expect(caller({})[area]?.[name]?.({}), path).rejects.toMatchObject({ code: "UNAUTHORIZED" });
      if (path === "executions.run") continue;
      const limited = caller({ actor: token("admin", "manage", { tools: ["echo"] }) });
      await expect(limited[area]?.[name]?.({}), path).rejects.toMatchObject({ code: "FORBIDDEN" });
      expect(denials.at(-1)).toMatchObject({ by: { id: "ada" }, action: path });
    }
  });
});

/** The permission that a declared operation takes beside its own. */
function findDemand(action: string, input: object, services: object) {
  const operation = listOperations().find((each) => each.action === action)?.operation;
  if (operation?.demand === undefined) throw new Error(`${action} demands no permission by its input`);
  return operation.demand(input as never, services as never);
}

describe("a permission that depends on the input", () => {
  it("lets only admins save or change a toolset that lifts an approval", () => {
    const toolset = (approval?: string) => ({ name: "mail", overrides: [{ tool: "send", approval }] });
    const permission = (before: object, after: object) => {
      const services = { toolsets: { get: () => before } };
      const update = { name: "mail", toolset: after };
      return [findDemand("toolsets.create", after, services), findDemand("toolsets.update", update, services)];
    };
    expect(permission(toolset("always"), toolset())).toEqual(["edit", "edit"]);
    expect(permission(toolset("always"), toolset("never"))).toEqual(["administer", "administer"]);
    expect(permission(toolset("never"), toolset())).toEqual(["edit", "administer"]);
  });

  it("lets only admins set or lift a rule about who approves", () => {
    const rule = (current: string | null, next: string | null) => {
      const services = { tools: { approvalMode: () => current } };
      return findDemand("tools.setApproval", { name: "wipe", mode: next }, services);
    };
    expect([rule(null, "always"), rule("never", null), rule("always", "never")]).toEqual(["edit", "edit", "edit"]);
    expect([rule(null, "other"), rule("always", "admin"), rule("editor", "never"), rule("other", null)]).toEqual(
      Array(4).fill("administer"),
    );
  });
});
