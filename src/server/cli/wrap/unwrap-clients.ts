import path from "node:path";
import { CommandError, EXIT, isCommandError } from "../command-error";
import { CLIENTS, type Client } from "./clients";
import { unwrapFile } from "./wrap-file";
import { applyPlace, describeMachine, findDatabase, type PlaceOptions, say, type WrapIo, writeJson } from "./wrap-io";
import { describeUnwrapped, formatCount, formatHeading } from "./wrap-report";
import { lockState, type WrappedFile, WrapState } from "./wrap-state";

/** The output of `unwrap --json` for a file. */
interface UnwrappedFile {
  client: string;
  file: string;
  /** `failed`: it stays wrapped. */
  result: "restored" | "merged" | "unchanged" | "lost" | "failed";
  /** The reason why it is not restored, or stays unchanged. */
  detail: string | null;
  /** The path of the original file. */
  backup: string;
}

/** @param client null for all */
export function unwrapClients(given: WrapIo, client: Client | null, options: PlaceOptions): void {
  const io = applyPlace(given, options);
  const dataFolder = path.dirname(findDatabase(io));
  const isWanted = ({ client: id }: WrappedFile): boolean => client === null || client.id === id;
  const files = WrapState.open(dataFolder).files.some(isWanted) ? unwrapFiles(io, dataFolder, isWanted) : [];
  if (options.json === true) writeJson(given, { files });
  const failed = files.filter(({ result }) => result === "failed").length;
  if (failed > 0) throw new CommandError(EXIT.refused, `${formatCount(failed, "file")} stayed wrapped.`);
  if (files.length > 0) say(io, "\nThe servers stay in Toolroom too. Restart the clients.");
  else say(io, client === null ? "No file is wrapped." : `No file of ${client.label} is wrapped.`);
}

/** The newest change of a file first. */
function unwrapFiles(io: WrapIo, dataFolder: string, isWanted: (file: WrappedFile) => boolean): UnwrappedFile[] {
  const home = describeMachine(io).homeFolder;
  const unlock = lockState(dataFolder);
  const done: UnwrappedFile[] = [];
  try {
    const state = WrapState.open(dataFolder);
    for (const wrapped of state.files.filter(isWanted).reverse()) {
      // An earlier change cannot be undone before a later one.
      if (done.some(({ file, result }) => file === wrapped.path && result === "failed")) continue;
      const facts = { client: wrapped.client, file: wrapped.path, backup: state.backupPath(wrapped) };
      const label = CLIENTS.find(({ id }) => id === wrapped.client) ?? { label: wrapped.client };
      const heading = formatHeading(label, wrapped.path, home);
      try {
        const unwrapped = unwrapFile(wrapped, state);
        say(io, `${heading}  ${describeUnwrapped(unwrapped, wrapped.path, facts.backup)}`);
        done.push({ ...facts, result: unwrapped.result, detail: unwrapped.detail || null });
      } catch (error) {
        if (!isCommandError(error)) throw error;
        say(io, `${heading}  ${error.message}\n  The file as it was: ${facts.backup}`);
        done.push({ ...facts, result: "failed", detail: error.message });
      }
    }
  } finally {
    unlock();
  }
  return done;
}
