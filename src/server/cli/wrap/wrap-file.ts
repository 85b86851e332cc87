import { getMessage } from "../../../lib/get-message";
import { CommandError, EXIT } from "../command-error";
import { type BridgeCommand, ENTRY_NAME, readServers, toClientBridge } from "./bridge-command";
import { decodeText, encodeText, findFormat } from "./client-files";
import { toListItem } from "./clients";
import { applyEdits, type Edit, type NewServer, type SectionPath, UneditableText } from "./config-format";
import { putServersBack, type TakenSection, takeServers } from "./edit-file";
import type { FilePlan } from "./plan-wrap";
import { hashBytes, readIfThere, replaceFile, type WrappedFile, type WrapState } from "./wrap-state";
import type { PlannedServer } from "./write-import";

/** The change of a file by a plan. */
export interface FileChange {
  sections: TakenSection[];
  edits: Edit[];
  after: Buffer;
}

/** Null where nothing moves. @throws UneditableText */
export function planChange(plan: FilePlan, bridge: BridgeCommand): FileChange | null {
  const { file, servers } = plan;
  const isMove = ({ action }: PlannedServer): boolean => action === "move";
  // In a project Claude Code uses the project's entry in place of the user's, which therefore has the user's servers too.
  const changesUser = servers.some((server) => isMove(server) && server.section.project === null);
  const sections = file.sections.flatMap(({ path, project }): TakenSection[] => {
    const own = servers.filter(({ section, action }) => section.path === path && action !== "stay");
    const changes = own.some((server) => isMove(server) || (project !== null && changesUser));
    return changes ? [{ path, positions: own.map(({ position }) => position) }] : [];
  });
  if (sections.length === 0) return null;
  const edits = takeServers(file.format, file.text, sections, (path) => toNewServer(plan, path, bridge));
  return { sections, edits, after: encodeText(applyEdits(file.text, edits), file.bytes) };
}

/** The servers that the entry of a section serves; null: all, since the entry that is there does. */
function listServed({ servers, file }: FilePlan, path: SectionPath): string[] | null {
  const project = servers.find(({ section }) => section.path === path)?.section.project ?? null;
  const isServed = ({ section }: PlannedServer): boolean =>
    section.path === path || (project !== null && section.project === null);
  const served = [...file.userServers];
  for (const server of servers.filter(isServed)) {
    if (server.action === "move") served.push(server.importedAs || server.name);
    if (server.action !== "replace") continue;
    const before = readServers(server.section.servers[server.position]?.value);
    if (before === null) return null;
    served.push(...before);
  }
  return served;
}

function toNewServer(plan: FilePlan, path: SectionPath, bridge: BridgeCommand): NewServer {
  const { file } = plan;
  const entry = file.client.toEntry(toClientBridge(bridge, listServed(plan, path), file.client.waitSeconds));
  const section = file.sections.find((each) => each.path === path);
  const isList = section !== undefined && Array.isArray(path.reduce<unknown>(getMember, file.value));
  return { name: ENTRY_NAME, value: isList ? toListItem(path, ENTRY_NAME, entry) : entry };
}

function getMember(value: unknown, key: string): unknown {
  return (value as Record<string, unknown> | null | undefined)?.[key];
}

/** Replaces the file, after its backup and the record of the change are kept. @throws CommandError where that is impossible */
export function applyChange({ file }: FilePlan, change: FileChange, state: WrapState, wrappedAt: number): void {
  const now = readIfThere(file.path);
  if (now === null || !now.equals(file.bytes)) {
    throw new CommandError(EXIT.refused, `${file.path} changed in the meantime.`, "Run the command again.");
  }
  const { sections, edits, after } = change;
  const record = {
    client: file.client.id,
    path: file.path,
    originalHash: hashBytes(file.bytes),
    wrappedHash: hashBytes(after),
    edits,
    sections: sections.map(({ path, positions }) => ({ path: [...path], positions: [...positions] })),
    entryName: ENTRY_NAME,
    wrappedAt,
  };
  try {
    state.add(record, file.bytes);
    replaceFile(file.path, after);
  } catch (error) {
    throw new CommandError(EXIT.refused, `${file.path} cannot be written: ${getMessage(error)}.`);
  }
}

export interface Unwrapped {
  /** `restored`: byte for byte. `merged`: its servers only. `unchanged`: as it was already. `lost`: nothing to undo. */
  result: "restored" | "merged" | "unchanged" | "lost";
  /** The subject of `lost`, or servers that the client has again. */
  detail: string;
}

/** Undoes one change of a file. @throws CommandError where the file stays unchanged */
export function unwrapFile(wrapped: WrappedFile, state: WrapState): Unwrapped {
  const bytes = readIfThere(wrapped.path);
  const finish = (result: Unwrapped["result"], detail = ""): Unwrapped => {
    state.remove(wrapped);
    return { result, detail };
  };
  if (bytes === null) return finish("lost", "the file is gone");
  const hash = hashBytes(bytes);
  if (hash === wrapped.originalHash) return finish("unchanged");
  const original = state.readBackup(wrapped);
  if (hash === wrapped.wrappedHash) {
    writeRestored(wrapped.path, original);
    return finish("restored");
  }
  const restored = restoreServers(wrapped, bytes, original);
  if (restored === null) return finish("lost", `it has no entry "${wrapped.entryName}" any more`);
  writeRestored(wrapped.path, encodeText(restored.text, bytes));
  return finish("merged", restored.kept.length === 0 ? "" : `left as they are now: ${restored.kept.join(", ")}`);
}

function restoreServers(wrapped: WrappedFile, bytes: Buffer, original: Buffer) {
  const refuse = (reason: string): never => {
    const wayOut = "The file as it was is kept: see the documentation of wrap.";
    throw new CommandError(EXIT.refused, `${wrapped.path} changed since it was wrapped, and ${reason}.`, wayOut);
  };
  const current = decodeText(bytes);
  const before = decodeText(original);
  if (current === null || before === null) return refuse("is not UTF-8 any more");
  try {
    return putServersBack(findFormat(wrapped.path), current, { ...wrapped, original: before });
  } catch (error) {
    return refuse(error instanceof UneditableText ? error.message : `cannot be read: ${getMessage(error)}`);
  }
}

function writeRestored(file: string, bytes: Buffer): void {
  try {
    replaceFile(file, bytes);
  } catch (error) {
    throw new CommandError(EXIT.refused, `${file} cannot be written: ${getMessage(error)}.`);
  }
}

/** Servers of a plan that are taken out of the file. */
export function listMoved({ servers }: FilePlan): PlannedServer[] {
  return servers.filter(({ action }) => action === "move");
}
