import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { ServerDetail, ServerSettings, ServerSummary } from "../../../lib/contract/server";
import { AppError } from "../../platform/shared/app-error";
import { nameConflict } from "../../platform/shared/name-conflict";
import { getToolName } from "./change-gate";
import { type EditContext, findEditable } from "./edit-context";
import { isDisabledEntry } from "./import/normalize-entry";
import { toKnownServer } from "./load-servers";
import { type KnownServer, toDetail, toSummary } from "./server-directory";
import { validateSettings } from "./validate-settings";

/** Changing the settings of an existing server. */
export function createServerUpdates(context: EditContext) {
  const { ports, servers, find, applySettings, publishChange, runExclusive } = context;
  const { store } = ports;
  return {
    /** @param revision the one that the person saw; absent: it overwrites whatever is there */
    update: (actor: Actor, name: string, candidate: unknown, revision?: number): Promise<ServerDetail> =>
      runExclusive(async () => {
        const before = findEditable(context, name);
        const { settings, secrets } = validateSettings(candidate, before, ports.maskOf);
        if (settings.name !== name && servers.has(settings.name)) throw nameConflict("server", settings.name);
        const updated = toKnownServer(await store.update(before.id, { settings, secrets }, { by: actor, revision }));
        await replaceServer(context, before, updated);
        await applySettings(updated);
        if (settings.approval !== before.settings.approval) ports.onPolicyChanged();
        return toDetail(updated, ports);
      }),

    setEnabled: (_actor: Actor, name: string, enabled: boolean): Promise<ServerSummary> =>
      runExclusive(async () => {
        const server = find(name);
        if (enabled && server.id === null && isDisabledEntry(ports.configured.entries[name])) {
          throw new AppError("READ_ONLY", `Server '${name}' is switched off in ${server.originPath}: change it there`);
        }
        if (server.enabled !== enabled) {
          if (server.id === null) await store.setDisabled(name, !enabled);
          else await store.setEnabled(server.id, enabled);
          server.enabled = enabled;
          await applySettings(server);
        }
        return toSummary(server, ports);
      }),

    /** @param policy null follows the global policy */
    setApproval: (actor: Actor, name: string, policy: ApprovalPolicy | null): Promise<ServerDetail> =>
      runExclusive(async () => {
        const server = findEditable(context, name);
        const { approval, ...rest } = server.settings;
        if ((approval ?? null) !== policy) {
          const settings: ServerSettings = policy === null ? rest : { ...rest, approval: policy };
          server.lastEdit = await store.setSettings(server.id, settings, actor);
          server.settings = settings;
          publishChange(name);
          ports.onPolicyChanged();
        }
        return toDetail(server, ports);
      }),
  };
}

/** In order with the tool lists that arrive: a list that is being read still belongs to the server, whatever its new name. */
async function replaceServer(
  { ports, servers, updates, publishChange }: EditContext,
  before: KnownServer,
  updated: KnownServer,
): Promise<void> {
  const { name } = before.settings;
  const newName = updated.settings.name;
  await updates.inOrder(name, async () => {
    const { listed, listedAt, changes, gate } = before;
    Object.assign(updated, { listed, listedAt, changes, gate });
    if (newName !== name) {
      await ports.store.rename(name, newName);
      const names = [...listed.flatMap((entry) => getToolName(entry) ?? []), ...gate.pins.keys()];
      await ports.renameServerTools({ from: name, to: newName, listed: names });
      void ports.connections.remove(name);
      servers.delete(name);
      await ports.setServerTools(name, []);
      publishChange(name);
    }
    servers.set(newName, updated);
  });
}
