import { type Command, Option } from "commander";
import {
  CHECKED_CLIENTS,
  type CheckedClient,
  CLIENT_SEVERITIES,
  type ClientSeverity,
  reachesClientSeverity,
} from "../../lib/contract/client-verdict";
import type { ClientVerdict } from "../../lib/contract/client-verdict-schema";
import { openApi } from "./api-client";
import { CLIENT_REPORTS, type ClientReport, formatClientReport } from "./client-report";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { write } from "./output";

interface CheckOptions extends ServerOptions {
  for?: string[];
  tool?: string;
  server?: string;
  toolset?: string;
  format: ClientReport;
  failOn: ClientSeverity | "never";
}

export function addClientCheck(clients: Command, io: CommandIo): void {
  const check = defineCommand(clients, {
    syntax: "check",
    summary: "Say what MCP clients and model APIs do with the tools, by their documented rules",
    details:
      "Checks all tools, or those of a server or toolset, or one tool. Nothing is called. Exits with 1 where a finding reaches --fail-on.",
    examples: [
      ["toolroom clients check", "each client's verdict on all tools"],
      ["toolroom clients check --for cursor --server files", "one client, with each finding"],
      ["toolroom clients check --for gemini --toolset support --format junit > clients.xml", "for CI"],
    ],
  })
    .option("--for <client>", `${CHECKED_CLIENTS.join(", ")}; may be repeated; default: all`, collect)
    .option("--tool <name>", "this tool alone")
    .option("--server <name>", "the tools of this server")
    .option("--toolset <name>", "the tools of this toolset")
    .addOption(new Option("--format <format>", "what is printed").choices(CLIENT_REPORTS).default("text"))
    .addOption(
      new Option("--fail-on <severity>", "the severity that fails")
        .choices([...CLIENT_SEVERITIES, "never"])
        .default("refused"),
    );
  addServerOptions(check, "the same as --format json").action((options: CheckOptions) => runCheck(options, io));
}

async function runCheck(options: CheckOptions, io: CommandIo): Promise<void> {
  const clients = (options.for ?? []).map(readClient);
  const { tool, server, toolset } = options;
  const part = Object.entries({ tool, server, toolset }).filter(([, value]) => value !== undefined);
  if (part.length > 1) throw usageError("Give one of --tool, --server and --toolset.");
  const verdicts = await readVerdicts(clients, Object.fromEntries(part) as Record<string, string>, options, io);
  const format = options.json ? "json" : options.format;
  const failOn = options.failOn === "never" ? null : options.failOn;
  const [[, about = "all tools"] = []] = part;
  await write(io.stdout, formatClientReport(format, { verdicts, failOn, about, hasDetails: clients.length > 0 }, io));
  // The strongest finding is the first.
  const hasFailed = failOn !== null && verdicts.some(({ findings: [first] }) => reaches(first?.severity, failOn));
  if (hasFailed) throw new CommandError(EXIT.failed, "");
}

const reaches = (severity: ClientSeverity | undefined, least: ClientSeverity): boolean =>
  severity !== undefined && reachesClientSeverity(severity, least);

function readClient(text: string): CheckedClient {
  const client = CHECKED_CLIENTS.find((each) => each === text);
  if (client === undefined) {
    throw usageError(
      `--for names an unknown client '${text.slice(0, 80)}'.`,
      `Clients: ${CHECKED_CLIENTS.join(", ")}.`,
    );
  }
  return client;
}

async function readVerdicts(
  clients: readonly CheckedClient[],
  part: Record<string, string>,
  options: CheckOptions,
  io: CommandIo,
): Promise<ClientVerdict[]> {
  const api = await openApi(options, io);
  if (clients.length === 0 && options.format === "text") {
    return (await api.get<{ items: ClientVerdict[] }>("/client-verdicts", part)).items;
  }
  const verdicts: ClientVerdict[] = [];
  for (const client of clients.length === 0 ? CHECKED_CLIENTS : clients) {
    verdicts.push(await api.get<ClientVerdict>(`/client-verdicts/${client}`, part));
  }
  return verdicts;
}
