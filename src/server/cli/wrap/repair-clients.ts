import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { copyProgram, isTemporary, readLaunched } from "../../../../scripts/program.mjs";
import { isPlainObject } from "../../../lib/contract/json";
import { getMessage } from "../../../lib/get-message";
import { type BridgeCommand, describeBridgeCommand, ENTRY_NAME, findScript, readEntry } from "./bridge-command";
import { type ClientFile, decodeText, encodeText, readClientFile } from "./client-files";
import { CLIENTS } from "./clients";
import { applyEdits, type Edit, type SectionPath, UneditableText } from "./config-format";
import { takeServers } from "./edit-file";
import { describeMachine, findDatabase, type WrapIo } from "./wrap-io";
import { hashBytes, lockState, replaceFile, type WrappedFile, WrapState } from "./wrap-state";

/** A wrapped file in its current state. */
export interface CheckedClient {
  client: string;
  file: string;
  /** `unwrapped`: it no longer has an entry of Toolroom, which is not a fault. */
  result: "ok" | "repaired" | "unwrapped" | "failed";
  /** The repaired fault; null where there was none. */
  detail: string | null;
}

/** Runs the command of an entry with an option that ends it at once. @returns what is wrong with it; null for nothing */
export type TryCommand = (command: string, script: string) => Promise<string | null>;

const TRY_LIMIT_MS = 30_000;

export const tryCommand: TryCommand = (command, script) =>
  new Promise((resolve) => {
    execFile(command, [script, "--help"], { timeout: TRY_LIMIT_MS }, (error, _stdout, stderr) => {
      const last = stderr.trim().split("\n").at(-1) ?? "";
      resolve(error === null ? null : `${command} ${script} does not start: ${last || getMessage(error)}`);
    });
  });

/**
 * Checks that the entry of each wrapped client starts, and replaces the parts of it that lead nowhere: a Node or a program that
 * is gone, and data that were moved. What the user added to an entry stays.
 */
export async function repairClients(io: WrapIo, attempt: TryCommand = tryCommand): Promise<CheckedClient[]> {
  const dataFolder = path.dirname(findDatabase(io));
  if (WrapState.open(dataFolder).files.length === 0) return [];
  const { env, rootDir } = io;
  const homeDir = env.TOOLROOM_HOME || rootDir;
  // The clients start what is copied here, so that it must be there before it is tried.
  if (isTemporary(homeDir) && readLaunched(dataFolder) === null) copyProgram(homeDir, dataFolder);
  const bridge = describeBridgeCommand({ homeDir, rootDir, env, dataFolder });
  const unlock = lockState(dataFolder);
  try {
    const state = WrapState.open(dataFolder);
    const newest = new Map(state.files.map((file) => [file.path, file]));
    const checked: CheckedClient[] = [];
    for (const wrapped of newest.values()) checked.push(await checkFile(io, wrapped, { state, bridge, attempt }));
    return checked;
  } finally {
    unlock();
  }
}

interface Repair {
  state: WrapState;
  /** The command as it would be written now. */
  bridge: BridgeCommand;
  attempt: TryCommand;
}

async function checkFile(io: WrapIo, wrapped: WrappedFile, repair: Repair): Promise<CheckedClient> {
  const facts = { client: wrapped.client, file: wrapped.path };
  const client = CLIENTS.find(({ id }) => id === wrapped.client);
  if (client === undefined) return { ...facts, result: "failed", detail: "is of a client that is not known here" };
  const file = readClientFile(client, wrapped.path, describeMachine(io));
  if ("reason" in file) return { ...facts, result: "failed", detail: file.reason };
  const entries = findEntries(file);
  if (entries.length === 0) return { ...facts, result: "unwrapped", detail: `has no entry "${ENTRY_NAME}" any more` };
  const faults = new Set<string>();
  const replaced = new Map<string, unknown>();
  for (const { path: section, value } of entries) {
    const { fault, entry } = mendEntry(value, repair.bridge);
    if (fault === null) continue;
    faults.add(fault);
    replaced.set(JSON.stringify(section), entry);
  }
  try {
    if (replaced.size > 0) writeEntries(file, wrapped, replaced, repair.state);
  } catch (error) {
    const reason = error instanceof UneditableText ? `the file ${error.message}` : getMessage(error);
    return { ...facts, result: "failed", detail: `${[...faults].join("; ")}, and it is not repaired: ${reason}` };
  }
  for (const { path: section, value } of entries) {
    const { command, args } = readEntry(replaced.get(JSON.stringify(section)) ?? value);
    const problem = await repair.attempt(command, findScript(args) ?? "");
    if (problem !== null) return { ...facts, result: "failed", detail: problem };
  }
  if (replaced.size === 0) return { ...facts, result: "ok", detail: null };
  return { ...facts, result: "repaired", detail: [...faults].join("; ") };
}

interface FoundEntry {
  path: SectionPath;
  at: number;
  value: unknown;
}

/** The entries that `wrap` wrote; one of the same name that starts something else is the user's own. */
function findEntries({ sections }: Pick<ClientFile, "sections">): FoundEntry[] {
  return sections.flatMap(({ path: section, servers }) =>
    servers.flatMap(({ name, value }, at) => {
      const isNamed = name === ENTRY_NAME || (isPlainObject(value) && value.name === ENTRY_NAME);
      return isNamed && findScript(readEntry(value).args) !== null ? [{ path: section, at, value }] : [];
    }),
  );
}

/** An entry with its parts that lead nowhere replaced, and what was wrong; null where nothing was. */
function mendEntry(value: unknown, bridge: BridgeCommand): { fault: string | null; entry: unknown } {
  const { command, args, env } = readEntry(value);
  const script = findScript(args) ?? "";
  const faults: string[] = [];
  const words = new Map<string, string>();
  if (!path.isAbsolute(command)) faults.push(`starts ${command}, which clients may not find`);
  else if (!existsSync(command)) faults.push(`${command} is gone`);
  if (faults.length > 0) words.set(command, bridge.command);
  const wanted = bridge.args[0] ?? script;
  if (!existsSync(script)) faults.push(`${script} is gone`);
  else if (isTemporary(script)) faults.push(`${script} is in a cache`);
  if (!existsSync(script) || isTemporary(script)) words.set(script, wanted);
  for (const [name, given] of Object.entries(env)) {
    if (!(name in PATH_SETTINGS) || existsSync(PATH_SETTINGS[name as keyof typeof PATH_SETTINGS](given))) continue;
    const now = bridge.env?.[name];
    if (now === given) continue;
    faults.push(`${name} leads to ${given}, which is gone`);
    words.set(given, now ?? "");
  }
  return { fault: faults.length === 0 ? null : faults.join(", "), entry: replaceTexts(value, words) };
}

/** Variables of an entry that name a file or folder: what has to be there. */
const PATH_SETTINGS = {
  DATABASE_URL: (url: string): string => path.dirname(url.replace(/^file:/, "").split("?")[0] ?? ""),
  TOOLROOM_DATA: (folder: string): string => folder,
  TOOLROOM_ROOT: (folder: string): string => folder,
  TOOLROOM_CONFIG: (file: string): string => file,
};

/** Replaces texts; one that is replaced by nothing is removed from objects. */
function replaceTexts(value: unknown, words: ReadonlyMap<string, string>): unknown {
  if (typeof value === "string") return words.get(value) ?? value;
  if (Array.isArray(value)) return value.map((each) => replaceTexts(each, words));
  if (!isPlainObject(value)) return value;
  const members = Object.entries(value).map(([name, each]) => [name, replaceTexts(each, words)] as const);
  return Object.fromEntries(members.filter(([name, each]) => each !== "" || value[name] === ""));
}

/** Keeps an unchanged file in the form of `wrap`, so that `unwrap` still restores it byte for byte. */
function writeEntries(
  file: ClientFile,
  wrapped: WrappedFile,
  replaced: ReadonlyMap<string, unknown>,
  state: WrapState,
): void {
  const write = (text: string, sections: readonly { path: SectionPath; positions: readonly number[] }[]): Edit[] =>
    takeServers(file.format, text, sections, (section) => ({
      name: ENTRY_NAME,
      value: replaced.get(JSON.stringify(section)) as Record<string, unknown>,
    }));
  const entries = findEntries(file).filter(({ path: section }) => replaced.has(JSON.stringify(section)));
  const edits = write(
    file.text,
    entries.map(({ path: section, at }) => ({ path: section, positions: [at] })),
  );
  const after = encodeText(applyEdits(file.text, edits), file.bytes);
  const composed = composeEdits(wrapped.edits, edits);
  const isAsLeft = hashBytes(file.bytes) === wrapped.wrappedHash;
  const original = isAsLeft ? decodeText(state.readBackup(wrapped)) : null;
  if (original !== null && applyEdits(original, composed) === applyEdits(file.text, edits)) {
    state.replace(wrapped, { ...wrapped, edits: composed, wrappedHash: hashBytes(after) });
  }
  replaceFile(file.path, after);
}

/** Two rounds of edits as one, from the text before both. Edits of the second round count within what the first one wrote. */
function composeEdits(first: readonly Edit[], second: readonly Edit[]): Edit[] {
  let shift = 0;
  let left = [...second];
  return first.map((edit) => {
    const start = edit.start + shift;
    const end = start + edit.text.length;
    shift += edit.text.length - (edit.end - edit.start);
    const isWithin = (each: Edit): boolean => each.start >= start && each.end <= end;
    const own = left.filter(isWithin).map((each) => ({ ...each, start: each.start - start, end: each.end - start }));
    left = left.filter((each) => !isWithin(each));
    return { ...edit, text: applyEdits(edit.text, own) };
  });
}
