import type { ImportDecision, ImportEntry, ImportPreview } from "../../../lib/contract/catalog-file";
import type { ConnectionState } from "../../../lib/contract/connection-state";
import { isPlainObject } from "../../../lib/contract/json";
import { ENTRY_NAME, isBridge } from "./bridge-command";
import type { ClientFile, FileSection } from "./client-files";
import type { SectionServer } from "./config-format";
import { explainPrivate, explainSwitch } from "./explain-stay";
import { nameServers, type PlannedServer, writeImport } from "./write-import";

/** The servers of the running Toolroom, or of its database. */
export interface WrapCatalog {
  preview(text: string): Promise<ImportPreview>;
  import(request: { text: string; digest: string; decisions: ImportDecision[] }): Promise<unknown>;
  /** Waits for the first connection of a server; one that is switched off has none. */
  connect(name: string): Promise<Pick<ConnectionState, "status" | "reason">>;
  /** Deletes a server. */
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

export interface FilePlan {
  file: ClientFile;
  servers: PlannedServer[];
  /** The import; null where no server moves. */
  request: { text: string; digest: string; decisions: ImportDecision[] } | null;
}

/** The number of names to try, since other servers may have them. */
const MAX_NAMES = 50;

/** @param only the name of the one server that is wanted; null: all @param catalog null where there is no Toolroom yet */
export async function planWrap(file: ClientFile, only: string | null, catalog: WrapCatalog | null): Promise<FilePlan> {
  const servers = file.sections.flatMap((section) =>
    section.servers.flatMap((server, position) => planServer(file, section, server, position, only)),
  );
  const moving = servers.filter(({ action }) => action === "move");
  if (moving.length === 0 || catalog === null) return { file, servers, request: null };
  const names = nameServers(moving);
  for (let round = 0; round < MAX_NAMES; round += 1) {
    const { text, order } = writeImport(file, moving, names);
    const preview = await catalog.preview(text);
    const entries = preview.entries.filter(({ kind }) => kind === "server").sort((a, b) => a.position - b.position);
    if (preview.problems.length > 0 || entries.length !== order.length) {
      const reason = preview.problems[0] ?? "could not be read as a server";
      return { file, servers: servers.map((server) => leave(server, reason)), request: null };
    }
    const taken = order.filter((_, index) => isTaken(entries[index]));
    if (taken.length === 0) {
      return { file, servers, request: readPreview(order, entries, { text, digest: preview.digest }) };
    }
    for (const same of taken) {
      const base = entries[order.indexOf(same)]?.name.replace(/-\d+$/, "") ?? "server";
      for (const server of same) names.set(server, `${base}-${round + 2}`);
    }
  }
  return { file, servers: servers.map((server) => leave(server, "all names like its own are taken")), request: null };
}

function leave(server: PlannedServer, reason: string): PlannedServer {
  return server.action === "move" ? { ...server, action: "stay", reason } : server;
}

/** Another server has the name: nothing of Toolroom is replaced by a client's file. */
function isTaken(entry: ImportEntry | undefined): boolean {
  return entry?.status === "change" || entry?.status === "conflict";
}

/** @param order the servers of each entry of the preview */
function readPreview(
  order: readonly (readonly PlannedServer[])[],
  entries: readonly ImportEntry[],
  preview: { text: string; digest: string },
): FilePlan["request"] {
  const decisions = entries.map(({ status, denied, position }): ImportDecision => {
    const action = status === "add" && denied === null ? "add" : "skip";
    return { kind: "server", position, action };
  });
  for (const [index, { name, status, problems, denied, notes, secrets }] of entries.entries()) {
    const reason = status === "invalid" ? (problems[0]?.message ?? "is no server") : status === "same" ? null : denied;
    for (const server of order[index] ?? []) {
      server.importedAs = name;
      server.isKnown = status === "same";
      server.notes = [...notes, ...(secrets.length === 0 ? [] : [`enter ${secrets.join(", ")} in Toolroom`])];
      if (reason !== null) Object.assign(server, { action: "stay", reason });
    }
  }
  return order.flat().some(({ action }) => action === "move") ? { ...preview, decisions } : null;
}

function planServer(
  file: ClientFile,
  section: FileSection,
  { name, value }: SectionServer,
  position: number,
  only: string | null,
): PlannedServer[] {
  const planned: PlannedServer = {
    section,
    position,
    name: name ?? `${section.path.at(-1)}[${position}]`,
    action: "move",
    reason: "",
    isFailing: false,
    importedAs: "",
    isKnown: false,
    notes: [],
  };
  if (isPartOfClient(value)) return [];
  if (name === ENTRY_NAME) return [{ ...planned, action: "replace" }];
  if (isBridge(name, value)) return [{ ...planned, action: "stay", reason: "leads to Toolroom already" }];
  if (only !== null && name !== only) return [];
  const reason =
    explainPrivate(value, file.client.label, section.project) ?? explainSwitch(file.value, section.path, name);
  return [reason === null ? planned : { ...planned, action: "stay", reason }];
}

/** Goose lists its own parts among the servers. */
function isPartOfClient(value: unknown): boolean {
  return isPlainObject(value) && /^(?:builtin|platform|frontend|inline_python)$/.test(String(value.type));
}
