import type { Command } from "commander";
import type { Pause } from "../../lib/contract/pause";
import { PAUSED_WORK } from "../../lib/contract/paused-work";
import type { ServerState } from "../../lib/contract/server-state";
import { formatAbsoluteTime } from "../../lib/format/relative-time";
import { openApi } from "./api-client";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, defineCommand, type ServerOptions } from "./define-command";
import { toLine, write, writeJson } from "./output";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function addSystemCommands(program: Command, io: CommandIo): void {
  const doctor = defineCommand(program, {
    syntax: "doctor",
    summary: "Say what is wrong with the running Toolroom, and what to do",
    details: "Exits with 1 where something is wrong.",
    examples: [
      ["toolroom doctor", "a paused server, the database, the disk, stored things that cannot be read"],
      ["toolroom doctor --json", "as JSON"],
    ],
  });
  addServerOptions(doctor, "print the state as GET /api/v1/system has it").action((options: ServerOptions) =>
    examineServer(options, io),
  );

  const resume = defineCommand(program, {
    syntax: "resume",
    summary: "Make a paused server, whose database is a copy, the original",
    details: `From then on ${PAUSED_WORK} go on here. Stop the server that the copy was made of first.`,
    examples: [
      ["toolroom resume", "after a restore that replaces the original"],
      ["toolroom resume --data ~/toolroom --json", "the one with this data, as JSON"],
    ],
  });
  addServerOptions(resume, "print { resumed } as POST /api/v1/system/resume has it").action((options: ServerOptions) =>
    resumeServer(options, io),
  );
}

const describePause = ({ reason, at, source }: Pause): string =>
  reason === "restored"
    ? `restored from ${toLine(source ?? "a copy")}, ${formatAbsoluteTime(at, zone)}`
    : `another database of PostgreSQL than at the start before, noticed ${formatAbsoluteTime(at, zone)}`;

/** Each problem as a line with what to do. */
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

async function examineServer({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.getText("/system");
  const state = JSON.parse(text) as ServerState;
  const faults = listFaults(state);
  if (json) await writeJson(io, text);
  else {
    await write(io.stdout, `Toolroom ${state.version} on Node ${state.node} with ${state.database}: ${api.url}\n`);
    await write(io.stdout, faults.length === 0 ? "Nothing is wrong.\n" : `${faults.join("\n")}\n`);
  }
  if (faults.length === 0) return;
  throw new CommandError(EXIT.failed, faults.length === 1 ? "1 problem" : `${faults.length} problems`);
}

async function resumeServer({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.sendText("POST", "/system/resume", "{}");
  if (json) return await writeJson(io, text);
  await write(io.stdout, `${api.url} is the original now. What was paused goes on.\n`);
}
