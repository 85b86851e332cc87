import type { Actor } from "../../../lib/contract/actor";
import type { ApprovalPolicy } from "../../../lib/contract/approval";
import type { ChangedToolsPolicy } from "../../../lib/contract/held-change";
import { describeProblem, type Problem } from "../../../lib/contract/problem";
import type { ServerDetail, ServerSettings, ServerSummary } from "../../../lib/contract/server";
import { getMessage } from "../../../lib/get-message";
import { equalJson } from "../../../lib/json/equal-json";
import { AppError } from "../../platform/shared/app-error";
import { createMutex } from "../../platform/shared/mutex";
import { nameConflict } from "../../platform/shared/name-conflict";
import { findNameProblems } from "./check-settings";
import { isDisabledEntry } from "./import/normalize-entry";
import type { KnownServers } from "./known-servers";
import { toKnownServer } from "./load-servers";
import { type KnownServer, toDetail, toSummary } from "./server-directory";
import type { ServerServicePorts } from "./server-ports";
import type { ServerSecrets } from "./server-secrets";
import { describeMissingSecret, type EditedServer, readEdit, toInvalidError } from "./server-settings";
import type { MaskOf } from "./setting-masks";
import { getToolName } from "./tool-entries";
import type { ToolUpdates } from "./tool-updates";

type Outside = "connections" | "store" | "configured" | "getMask";
type ToolPorts = "setServerTools" | "renameServerTools" | "forgetServerTools" | "listOwnTools" | "explainName";

interface ServerEditPorts extends Pick<ServerServicePorts, Outside | ToolPorts> {
  known: KnownServers;
  updates: ToolUpdates;
  /** Reconnects according to the current settings. */
  connect: (server: KnownServer) => void;
}

interface ImportOutcome {
  created: string[];
  rejected: { name: string; error: string }[];
}

type ImportCandidates = readonly { settings: unknown; enabled: boolean }[];

/** Changes that users make to servers, one at a time. */
export class ServerEdits {
  readonly #ports: ServerEditPorts;
  readonly #runExclusive = createMutex();

  constructor(ports: ServerEditPorts) {
    this.#ports = ports;
  }

  /** @param enabled false adds it disabled: nothing starts */
  readonly create = (actor: Actor, candidate: unknown, enabled = true): Promise<ServerDetail> =>
    this.#runExclusive(async () => toDetail(await this.#add(candidate, enabled, actor), this.#ports));

  /** One rejected server does not affect the others. */
  readonly import = (actor: Actor, candidates: ImportCandidates): Promise<ImportOutcome> =>
    this.#runExclusive(async () => {
      const outcome: ImportOutcome = { created: [], rejected: [] };
      for (const { settings, enabled } of candidates) {
        try {
          outcome.created.push((await this.#add(settings, enabled, actor)).settings.name);
        } catch (error) {
          const name = String((settings as { name?: unknown } | null)?.name ?? "");
          outcome.rejected.push({ name, error: getMessage(error) });
        }
      }
      return outcome;
    });

  /** @param revision the revision that the user saw; absent: overwrites any */
  readonly update = (actor: Actor, name: string, candidate: unknown, revision?: number): Promise<ServerDetail> =>
    this.#runExclusive(async () => {
      const { known, store, getMask } = this.#ports;
      const before = this.#findEditable(name);
      const { settings, secrets } = validateSettings(candidate, before, getMask);
      if (settings.name !== name && known.servers.has(settings.name)) throw nameConflict("server", settings.name);
      if (settings.name !== name) this.#assertFreeName(settings.name);
      const updated = toKnownServer(await store.update(before.id, { settings, secrets }, { by: actor, revision }));
      await this.#replace(before, updated);
      await this.#applySettings(updated);
      return toDetail(updated, this.#ports);
    });

  readonly setEnabled = (_actor: Actor, name: string, enabled: boolean): Promise<ServerSummary> =>
    this.#runExclusive(async () => {
      const { known, store, configured } = this.#ports;
      const server = known.find(name);
      if (enabled && server.id === null && isDisabledEntry(configured.entries[name])) {
        throw new AppError("READ_ONLY", `Server '${name}' is switched off in ${server.originPath}: change it there`);
      }
      if (server.enabled !== enabled) {
        if (server.id === null) await store.setDisabled(name, !enabled);
        else await store.setEnabled(server.id, enabled);
        known.change(server, { enabled });
        await this.#applySettings(server);
      }
      return toSummary(server, this.#ports);
    });

  /** @param policy null follows the global policy */
  readonly setApproval = (actor: Actor, name: string, policy: ApprovalPolicy | null): Promise<ServerDetail> =>
    this.#runExclusive(async () => {
      const { known, store } = this.#ports;
      const server = this.#findEditable(name);
      const { approval, ...rest } = server.settings;
      if ((approval ?? null) !== policy) {
        const settings: ServerSettings = policy === null ? rest : { ...rest, approval: policy };
        const lastEdit = await store.setSettings(server.id, settings, actor);
        known.change(server, { settings, lastEdit });
      }
      return toDetail(server, this.#ports);
    });

  /** Pending changes come into use under the policy `off`. */
  readonly setChangedTools = (actor: Actor, name: string, policy: ChangedToolsPolicy): Promise<ServerDetail> =>
    this.#runExclusive(async () => {
      const { known, store, updates } = this.#ports;
      const server = this.#findEditable(name);
      if ((server.settings.changedTools ?? "off") !== policy) {
        const settings: ServerSettings = { ...server.settings, changedTools: policy };
        const lastEdit = await store.setSettings(server.id, settings, actor);
        known.change(server, { settings, lastEdit });
        await updates.register(server);
      }
      return toDetail(server, this.#ports);
    });

  readonly delete = async (_actor: Actor, name: string, revision?: number): Promise<{ id: string }> => {
    const { known, store, updates, connections, forgetServerTools } = this.#ports;
    const { id, closed } = await this.#runExclusive(async () => {
      const { id } = this.#findEditable(name);
      await store.delete(id, revision);
      known.remove(name);
      await updates.clear(name);
      await forgetServerTools(name, { keepFacts: true });
      // Awaited outside the mutex: ending the server's processes may take a while.
      return { id, closed: connections.remove(name) };
    });
    await closed;
    return { id };
  };

  /** Undoes a delete. @throws AppError when another server has taken the name since */
  readonly restore = (_actor: Actor, id: string): Promise<ServerDetail> =>
    this.#runExclusive(async () => {
      const { known, store, updates } = this.#ports;
      const row = await store.restore(id);
      if (row === null) throw new AppError("NOT_FOUND", "There is no deleted server with this id to restore");
      if (known.servers.has(row.name)) {
        await store.delete(row.id);
        throw nameConflict("server", row.name);
      }
      if (this.#findNameProblems(row.name).length > 0) {
        await store.delete(row.id);
        this.#assertFreeName(row.name);
      }
      const server = toKnownServer(row);
      const knowledge = (await store.knowledge()).find(({ name }) => name === row.name);
      known.put(server);
      await updates.recall(server, knowledge);
      await this.#applySettings(server);
      return toDetail(server, this.#ports);
    });

  /**
   * Runs a write to the database while no one else changes servers; connections and tools follow afterwards.
   * @param write adds and replaces servers of the console
   */
  readonly applyStored = <T>(write: () => Promise<T>): Promise<T> =>
    this.#runExclusive(async () => {
      const { known, store } = this.#ports;
      const result = await write();
      for (const row of await store.list()) {
        const before = known.servers.get(row.name);
        const server = toKnownServer(row);
        // A server of the configuration keeps its name.
        if (before?.id === null || (before && equalJson(toStoredParts(before), toStoredParts(server)))) continue;
        if (before !== undefined) takeOver(server, before);
        await this.#applySettings(known.put(server));
      }
      return result;
    });

  /**
   * Loads what another instance of the server changed and announces: connections and tools follow.
   * @param name the server whose list and decisions are read again too; null for all
   */
  readonly follow = (name: string | null): Promise<void> =>
    this.#runExclusive(async () => {
      const { known, store, updates, connections, configured } = this.#ports;
      const rows = new Map((await store.list()).map((row) => [row.name, toKnownServer(row)]));
      const knowledge = new Map((await store.knowledge()).map((each) => [each.name, each]));
      const former = new Map<string, KnownServer>();
      for (const server of [...known.servers.values()]) {
        const { id, settings } = server;
        if (id === null) {
          const isOff = knowledge.get(settings.name)?.disabled === true;
          const enabled = !isOff && !isDisabledEntry(configured.entries[settings.name]);
          rows.set(settings.name, { ...server, enabled });
          continue;
        }
        former.set(id, server);
        if (rows.get(settings.name)?.id === id) continue;
        known.remove(settings.name, true);
        await updates.clear(settings.name);
        void connections.remove(settings.name);
      }
      for (const [rowName, server] of rows) {
        const before = server.id === null ? known.find(rowName) : former.get(server.id);
        const isAsked = name === null || name === rowName;
        if (before === undefined || !equalJson(toStoredParts(before), toStoredParts(server))) {
          if (before !== undefined) takeOver(server, before);
          known.put(server, true);
          await updates.follow(server, knowledge.get(rowName));
          this.#ports.connect(server);
        } else {
          known.change(before, { lastEdit: server.lastEdit }, true);
          if (isAsked) await updates.follow(before, knowledge.get(rowName));
        }
      }
    });

  async #add(candidate: unknown, enabled: boolean, by: Actor): Promise<KnownServer> {
    const { known, store, getMask, forgetServerTools } = this.#ports;
    const { settings, secrets } = validateSettings(candidate, undefined, getMask);
    if (known.servers.has(settings.name)) throw nameConflict("server", settings.name);
    this.#assertFreeName(settings.name);
    // A new server must not inherit tools, sign-in or `never` settings from a deleted one of its name. Cleared before the row
    // is stored: a full disk must not leave a server that only the database knows.
    await store.forget(settings.name);
    await forgetServerTools(settings.name, { keepFacts: false });
    const server = known.put(toKnownServer(await store.create({ settings, secrets, enabled, by })));
    await this.#applySettings(server);
    return server;
  }

  /**
   * Runs in order with incoming tool lists: a list that is being read still belongs to the server, also after it was
   * renamed.
   */
  async #replace(before: KnownServer, updated: KnownServer): Promise<void> {
    const { known, store, updates, connections, renameServerTools, setServerTools } = this.#ports;
    const { name } = before.settings;
    const newName = updated.settings.name;
    await updates.inOrder(name, async () => {
      const { listed, gate } = before;
      takeOver(updated, before);
      if (newName !== name) {
        await store.rename(name, newName);
        const names = [...listed.flatMap((entry) => getToolName(entry) ?? []), ...gate.pins.keys()];
        await renameServerTools({ from: name, to: newName, listed: names });
        void connections.remove(name);
        known.remove(name);
        await setServerTools(name, []);
      }
      known.put(updated);
    });
  }

  /** Registers the tools and reconnects according to the current settings. */
  async #applySettings(server: KnownServer): Promise<void> {
    await this.#ports.updates.register(server);
    this.#ports.connect(server);
  }

  #findNameProblems(name: string): Problem[] {
    return findNameProblems(name, this.#ports);
  }

  /** @throws AppError CONFLICT where the name is reserved, or own tools have names that the tools of this server would have */
  #assertFreeName(name: string): void {
    const problems = this.#findNameProblems(name);
    if (problems.length > 0)
      throw new AppError("CONFLICT", problems.map((problem) => describeProblem(problem)).join("; "), problems);
  }

  /** @throws AppError READ_ONLY for a server of the configuration */
  #findEditable(name: string): KnownServer & { id: string } {
    const server = this.#ports.known.find(name);
    if (server.id === null) {
      throw new AppError("READ_ONLY", `Server '${name}' comes from ${server.originPath}: change it there`);
    }
    return server as KnownServer & { id: string };
  }
}

/**
 * @param before the server that is edited, whose secrets the candidate may keep; undefined for a new one
 * @throws AppError that lists every problem with its field
 */
function validateSettings(
  candidate: unknown,
  before: EditedServer | undefined,
  getMask: MaskOf,
): { settings: ServerSettings; secrets: ServerSecrets } {
  const read = readEdit(candidate, before, getMask);
  if ("problems" in read) throw toInvalidError(read.problems);
  if (read.missing.length > 0) throw toInvalidError(read.missing.map(describeMissingSecret));
  return read;
}

/** Keeps the server's own description when its settings change. */
function takeOver(server: KnownServer, { listed, listedAt, changes, gate }: KnownServer): void {
  Object.assign(server, { listed, listedAt, changes, gate });
}

const toStoredParts = ({ settings, secrets, enabled, problem }: KnownServer) => ({
  settings,
  secrets,
  enabled,
  problem,
});
