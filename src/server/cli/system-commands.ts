import type { Command } from "commander";
import type { Pause } from "../../lib/contract/pause";
import { PAUSED_WORK } from "../../lib/contract/paused-work";
import type { ServerState } from "../../lib/contract/server-state";
import { formatAbsoluteTime } from "../../lib/format/relative-time";
import { openApi } from "./api-client";
import { CommandError, EXIT, isCommandError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import type { ServerChoice } from "./find-address";
import { toLine, write, writeJson } from "./output";
import { type CheckedClient, repairClients } from "./wrap/repair-clients";
import { applyPlace } from "./wrap/wrap-io";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function addSystemCommands(program: Command, io: CommandIo): void {
  const doctor = defineCommand(program, {
    syntax: "doctor",
    summary: "Say what is wrong with the running Toolroom and its wrapped clients, and what to do",
    details:
      "Repairs entries of wrapped clients that lead nowhere, as after a move of the program or an upgrade of Node.\nExits with 1 where something is wrong.",
    examples: [
      ["toolroom doctor", "a paused server, the database, the disk, stored things that cannot be read"],
      ["toolroom doctor --json", "as JSON"],
    ],
  });
  addServerOptions(
    doctor,
    "print the state as GET /api/v1/system has it, and wrapped: the clients and what was done",
  ).action((options: ServerOptions) => examineServer(options, io));
}

const describePause = ({ reason, at, source }: Pause): string =>
  reason === "restored"
    ? `restored from ${toLine(source ?? "a copy")}, ${formatAbsoluteTime(at, zone)}`
    : `another database of PostgreSQL than at the start before, noticed ${formatAbsoluteTime(at, zone)}`;

/** Formats each problem as a line with its fix. */
function listFaults({ paused, databaseProblem, diskWarning, problems }: ServerState): string[] {
  return [
    ...(paused === null
      ? []
      : [
          `Paused: its database is a copy (${describePause(paused)}).\n  Waiting: ${PAUSED_WORK}.\n  Make it the original with: toolroom resume`,
        ]),
    ...(databaseProblem === null ? [] : [`Database: ${toLine(databaseProblem)}`]),
    ...(diskWarning === null ? [] : [`Disk: ${toLine(diskWarning)}`]),
    ...problems.map(({ name, error }) => (name === null ? toLine(error) : `${toLine(name)}: ${toLine(error)}`)),
  ];
}

const describeChecked = ({ client, file, result, detail }: CheckedClient): string =>
  toLine(`${client}  ${file}  ${result}${detail === null ? "" : `: ${detail}`}`);

/** The state of the running Toolroom; null where none runs and wrapped clients start one when they need it. */
async function readState(choice: ServerChoice, io: CommandIo, isWrapped: boolean) {
  try {
    const api = await openApi(choice, io);
    return { url: api.url, text: await api.getText("/system") };
  } catch (error) {
    if (isWrapped && isCommandError(error) && error.exitCode === EXIT.unreachable) return null;
    throw error;
  }
}

async function examineServer({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  // Clients of a Toolroom on another machine are not known here.
  const isHere = choice.toolroom === undefined && !(choice.data === undefined && io.env.TOOLROOM_URL);
  const wrapped = isHere ? await repairClients(applyPlace(io, { data: choice.data })) : [];
  // A Toolroom that refuses to answer says nothing about the clients.
  if (!json) await write(io.stdout, wrapped.map((each) => `${describeChecked(each)}\n`).join(""));
  const found = await readState(choice, io, wrapped.length > 0);
  const state = found === null ? null : (JSON.parse(found.text) as ServerState);
  const faults = state === null ? [] : listFaults(state);
  if (json) await writeJson(io, JSON.stringify({ ...state, wrapped }));
  else
    await write(io.stdout, `${describeState(found?.url ?? "", state)}\n${faults.map((each) => `${each}\n`).join("")}`);
  const count = faults.length + wrapped.filter(({ result }) => result === "failed").length;
  if (count > 0) throw new CommandError(EXIT.failed, count === 1 ? "1 problem" : `${count} problems`);
  if (!json) await write(io.stdout, "Nothing is wrong.\n");
}

function describeState(url: string, state: ServerState | null): string {
  if (state === null) return "No Toolroom is running: wrapped clients start one.";
  return `Toolroom ${state.version} on Node ${state.node} with ${state.database}: ${url}`;
}
