import { getMessage } from "../../../lib/get-message";
import { CommandError, EXIT } from "../command-error";
import type { BridgeCommand } from "./bridge-command";
import { connectServers, keepFailing } from "./connect-servers";
import { type FilePlan, planWrap, type WrapCatalog } from "./plan-wrap";
import { applyChange, listMoved, planChange } from "./wrap-file";
import { describeMachine, say, type WrapIo } from "./wrap-io";
import { describeConnections, describeMoved, formatCount, formatHeading } from "./wrap-report";
import { lockState, WrapState } from "./wrap-state";

export interface MovingFiles {
  bridge: BridgeCommand;
  /** The name of the one requested server; null: all. */
  only: string | null;
  dataFolder: string;
  /** Whether a server moves only once it has connected. */
  waits: boolean;
}

/**
 * Imports the servers of all files and waits until they have connected, then changes file after file: what ends this in between leaves
 * every file old or new.
 */
export async function moveFiles(
  io: WrapIo,
  plans: readonly FilePlan[],
  moving: MovingFiles,
  catalog: WrapCatalog,
): Promise<Map<string, string>> {
  const failures = new Map<string, string>();
  const unlock = lockState(moving.dataFolder);
  try {
    const imported = await importFiles(plans, { ...moving, failures, catalog });
    const moved = imported.flatMap(listMoved);
    const added = new Set(moved.flatMap(({ isKnown, importedAs }) => (isKnown ? [] : [importedAs])));
    try {
      if (moving.waits) await awaitConnections(io, imported, catalog);
      const state = WrapState.open(moving.dataFolder);
      for (const plan of imported) changeFile(io, plan, { bridge: moving.bridge, state, failures });
    } catch (error) {
      await removeServers(io, added, catalog);
      throw error;
    }
    const used = imported.flatMap((plan) => (failures.has(plan.file.path) ? [] : listMoved(plan)));
    for (const { importedAs } of used) added.delete(importedAs);
    await removeServers(io, added, catalog);
  } finally {
    unlock();
  }
  for (const [file, reason] of failures) {
    const plan = plans.find((each) => each.file.path === file);
    if (plan !== undefined) say(io, `${formatFile(io, plan)}  left as it is: ${reason}`);
  }
  return failures;
}

/** Marks the servers that do not connect as staying. @throws CommandError after Ctrl+C */
async function awaitConnections(io: WrapIo, plans: readonly FilePlan[], catalog: WrapCatalog): Promise<void> {
  const names = new Set(plans.flatMap((plan) => listMoved(plan).map(({ importedAs }) => importedAs)));
  if (names.size === 0) return;
  say(io, `\nConnecting ${formatCount(names.size, "server")}…`);
  const connections = await Promise.race([connectServers([...names], catalog), awaitInterrupt(io.signal)]);
  for (const plan of plans) plan.servers = keepFailing(plan.servers, connections);
}

function awaitInterrupt(signal: AbortSignal | undefined): Promise<never> {
  return new Promise((_, reject) => {
    const end = (): void => reject(new CommandError(EXIT.refused, "Nothing was changed."));
    if (signal?.aborted) end();
    else signal?.addEventListener("abort", end, { once: true });
  });
}

/** Removes servers that this command has added and that no file uses. */
async function removeServers(io: WrapIo, names: Iterable<string>, catalog: WrapCatalog): Promise<void> {
  for (const name of names) {
    try {
      await catalog.remove(name);
    } catch (error) {
      say(io, `The server ${name} is still in Toolroom: ${getMessage(error)}`);
    }
  }
}

interface Importing {
  only: string | null;
  bridge: BridgeCommand;
  catalog: WrapCatalog;
  /** Receives the reasons why files stay. */
  failures: Map<string, string>;
}

/** @returns the plans with something to move */
async function importFiles(plans: readonly FilePlan[], { only, bridge, catalog, failures }: Importing) {
  const imported: FilePlan[] = [];
  for (const shown of plans) {
    try {
      // An earlier import may have taken a name in between.
      const plan = await planWrap(shown.file, only, catalog);
      shown.servers = plan.servers;
      if (planChange(plan, bridge) === null || plan.request === null) continue;
      await catalog.import(plan.request);
      imported.push(shown);
    } catch (error) {
      failures.set(shown.file.path, getMessage(error));
    }
  }
  return imported;
}

interface Changing {
  bridge: BridgeCommand;
  state: WrapState;
  failures: Map<string, string>;
}

function changeFile(io: WrapIo, plan: FilePlan, { bridge, state, failures }: Changing): void {
  const { path: file } = plan.file;
  try {
    const change = planChange(plan, bridge);
    if (change !== null) applyChange(plan, change, state, Date.now());
    const moved = change === null ? "left as it is" : listMoved(plan).map(describeMoved).join(", ");
    say(io, [`${formatFile(io, plan)}  ${moved}`, ...describeConnections(plan)].join("\n"));
  } catch (error) {
    failures.set(file, getMessage(error));
  }
}

const formatFile = (io: WrapIo, { file }: FilePlan): string =>
  formatHeading(file.client, file.path, describeMachine(io).homeFolder);
