import type { Permission } from "../../../lib/contract/access";
import { permissionForServer } from "../../../lib/contract/server-kind";
import { byName, type MethodRules, READS, readName } from "../../platform/shared/method-rules";
import type { ServerService } from "./server-service";

const target = byName("server");

export function createServerRules(servers: ServerService): MethodRules<ServerService> {
  const forServer = (name: string): Permission => permissionForServer(servers.get(name).settings);
  function toState(name: string) {
    const { settings, enabled } = servers.get(name);
    return { enabled, settings };
  }
  const state = ([name]: [name: string, ...unknown[]]) => toState(name);
  return {
    create: {
      permission: permissionForServer,
      target: ([settings], made) => target([made?.name ?? readName(settings)]),
      after: (_, made) => toState(made.name),
    },
    import: {
      permission: (added) =>
        added.some(({ settings }) => permissionForServer(settings) === "administer") ? "administer" : "edit",
      target: ([added]) => target([added.map(({ settings }) => readName(settings)).join(", ")]),
      after: (_, { created, rejected }) => ({ created: created.map(toState), rejected }),
    },
    update: {
      permission: (name, settings) => (forServer(name) === "edit" ? permissionForServer(settings) : "administer"),
      target: ([name], made) => target([made?.name ?? name]),
      state,
      after: ([, settings], made) => ({ ...toState(made.name), ...listReplacedSecrets(settings) }),
    },
    describeDocument: {
      // Its settings are read as those of an API, whatever transport they name; it may use what is stored for the server.
      permission: (settings, editing) =>
        editing === null || forServer(editing) === "edit"
          ? permissionForServer({ ...(settings as object), transport: "openapi" })
          : "administer",
      ...READS,
    },
    delete: { permission: forServer, target, state },
    // The person who deleted the server knows its random id.
    restore: {
      permission: "edit",
      target: ([id], made) => target([made?.name ?? id]),
      after: (_, made) => toState(made.name),
    },
    setEnabled: { permission: forServer, target, state: ([name]) => ({ enabled: servers.get(name).enabled }) },
    setApproval: {
      permission: "edit",
      target,
      state: ([name]) => ({ approval: servers.get(name).settings.approval ?? null }),
    },
    setChangedTools: {
      permission: "edit",
      target,
      state: ([name]) => ({ changedTools: servers.get(name).settings.changedTools ?? "off" }),
    },
    decideChanges: {
      permission: "edit",
      target,
      after: ([, changes, decision], { decided }) => ({
        decision,
        changes: changes
          .filter((each) => decided.includes(each.tool))
          .map((each) => ({ tool: each.tool, hash: each.hash })),
      }),
    },
    reconnect: { permission: "edit", target },
    startSignIn: {
      permission: (name) => (servers.get(name).credentials === "personal" ? "run" : "edit"),
      target,
    },
    // The parameters hold the authorization code.
    finishSignIn: { permission: "edit", after: (_, { path }) => ({ path }) },
    signOut: { permission: "edit", target },
  };
}

/** Names of the environment values and headers that a request sets: their values show nowhere. */
function listReplacedSecrets(settings: unknown) {
  const { env, headers, query } = (settings ?? {}) as Record<string, unknown>;
  const given = [env, headers, query].flatMap((list) => (Array.isArray(list) ? (list as unknown[]) : []));
  const names = given.flatMap((entry) => {
    const { name, value } = (entry ?? {}) as Record<string, unknown>;
    return typeof name === "string" && typeof value === "string" && !value.includes("$") ? [name] : [];
  });
  return names.length === 0 ? {} : { valuesReplaced: names };
}
