import type { Command } from "commander";
import type { SecretSetting, ServerSettingsInput, ServerSummary } from "../../lib/contract/server";
import { PLATFORM } from "../../lib/platform";
import { openApi } from "./api-client";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { type Color, formatTable, toTableStyle, write, writeJson } from "./output";
import { restoreSeparator } from "./restore-separator";

interface AddOptions extends ServerOptions {
  url?: string;
  transport?: string;
  header?: string[];
  env?: string[];
  cwd?: string;
}

const COLORS: Partial<Record<string, Color>> = {
  connected: "green",
  failed: "red",
  disconnected: "yellow",
  sign_in_needed: "yellow",
  disabled: "gray",
};

export function addServerCommands(program: Command, io: CommandIo): void {
  const servers = program
    .command("servers")
    .summary("List, add and test MCP servers")
    // `add` reads its own words.
    .enablePositionalOptions()
    .description("List, add and test MCP servers and APIs.");
  servers.addHelpText("after", "\nExamples:\n  toolroom servers list\n  toolroom servers test files");

  const list = defineCommand(servers, {
    syntax: "list",
    summary: "List the servers with the state of their connections",
    examples: [
      ["toolroom servers list", "as a table"],
      ["toolroom servers list --json", "with everything known, as JSON"],
    ],
  });
  addServerOptions(list, "print { items } as GET /api/v1/servers has them").action((options: ServerOptions) =>
    listServers(options, io),
  );

  const add = defineCommand(servers, {
    syntax: "add <name> [command...]",
    summary: "Add a server and connect to it",
    details:
      // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as a user types it
      "A server is a command, after --, or an address. ${VARIABLE} in commands, environment and headers is filled in from " +
      "Toolroom's own environment; --env NAME without a value takes it from yours, so that it is in no history.",
    examples: [
      ["toolroom servers add files -- npx -y @modelcontextprotocol/server-filesystem ~/notes", "a command"],
      [
        // biome-ignore lint/suspicious/noTemplateCurlyInString: a reference as a user types it
        "toolroom servers add tracker --url https://tracker.example/mcp --header 'Authorization: Bearer ${TOKEN}'",
        "HTTP",
      ],
    ],
  })
    .option("--url <address>", "the address of an HTTP server")
    .option("--transport <kind>", "http, or sse for an old server; with --url")
    .option("--header <line>", "Name: value; may be repeated, with --url", collect)
    .option("--env <entry>", "NAME=value, or NAME for your own value; may be repeated, with a command", collect)
    .option("--cwd <folder>", "the working folder of the command");
  addServerOptions(add, "print the server as POST /api/v1/servers/{name}/connect has it").action(
    (name: string, words: string[], options: AddOptions) => addServer(name, words, options, io),
  );
  const parseOptions = add.parseOptions.bind(add);
  add.parseOptions = (words) => parseOptions(restoreSeparator(words, add.options));

  const test = defineCommand(servers, {
    syntax: "test <name>",
    summary: "Connect to a server again, and say whether that works",
    examples: [
      ["toolroom servers test files", "exits with 1 where it does not connect"],
      ["toolroom servers test files --json", "with the state of its connection, as JSON"],
    ],
  });
  addServerOptions(test, "print the server as POST /api/v1/servers/{name}/connect has it").action(
    (name: string, options: ServerOptions) => testServer(name, options, io),
  );
}

async function listServers({ json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const items = await api.list<ServerSummary>("/servers");
  if (json) return await writeJson(io, JSON.stringify({ items }));
  if (items.length === 0) return await write(io.stderr, "No servers. Add one with: toolroom servers add\n");
  const rows = items.map(({ name, state, toolCount, transport, target }) => [
    name,
    { text: formatState(state.status), color: COLORS[state.status] },
    String(toolCount),
    transport,
    state.reason ?? target,
  ]);
  await write(io.stdout, formatTable(["NAME", "STATUS", "TOOLS", "TRANSPORT", "TARGET"], rows, toTableStyle(io)));
}

const formatState = (status: string): string => status.replaceAll("_", " ");

async function addServer(name: string, words: readonly string[], options: AddOptions, io: CommandIo): Promise<void> {
  const settings = toSettings(name, PLATFORM === "win32" ? expandUserFolder(words) : words, options, io.env);
  const api = await openApi(options, io);
  await api.send("POST", "/servers", { settings });
  if (!options.json) await write(io.stdout, `Added ${name}.\n`);
  await testServer(name, options, io);
}

/** Shells of Windows pass `~` on as it is. The folder is named by its variable, so that an export fits another machine. */
export function expandUserFolder(words: readonly string[]): string[] {
  return words.map((word) => (/^~(?:[\\/]|$)/.test(word) ? `\${HOME}${word.slice(1)}` : word));
}

/** @throws CommandError that names the option */
function toSettings(
  name: string,
  words: readonly string[],
  { url, transport: kind, header = [], env = [], cwd }: AddOptions,
  variables: CommandIo["env"],
): ServerSettingsInput {
  const [command, ...args] = words;
  if (url !== undefined && command !== undefined) throw usageError("Give --url or a command, not both.");
  if (url !== undefined) {
    const isOld = kind === "sse";
    if (!isOld && kind !== undefined && kind !== "http") throw usageError("--transport must be http or sse.");
    if (env.length > 0 || cwd !== undefined) throw usageError("--env and --cwd are for servers with a command.");
    return { transport: isOld ? "sse" : "http", name, url, headers: header.map(parseHeader) };
  }
  if (command === undefined)
    throw usageError(
      "Give --url, or the command behind --.",
      "Example: toolroom servers add files -- npx -y @modelcontextprotocol/server-filesystem .",
    );
  if (header.length > 0 || kind !== undefined) throw usageError("--header and --transport are for servers with --url.");
  const entries = env.map((entry) => parseVariable(entry, variables));
  return { transport: "stdio", name, command, args, env: entries, ...(cwd === undefined ? {} : { cwd }) };
}

/** @throws CommandError */
export function parseHeader(line: string): SecretSetting {
  const [, name, value] = /^([^:\s]+):\s*([\s\S]*)$/.exec(line) ?? [];
  // The line is not repeated: it may hold a secret.
  if (name === undefined || value === undefined) throw usageError("--header must be 'Name: value'.");
  return { name, value };
}

/** `NAME=value`, or a name whose value the user has. @throws CommandError */
export function parseVariable(entry: string, variables: CommandIo["env"]): SecretSetting {
  const at = entry.indexOf("=");
  if (at > 0) return { name: entry.slice(0, at), value: entry.slice(at + 1) };
  const value = at < 0 ? variables[entry] : undefined;
  if (value === undefined) throw usageError("--env must be NAME=value, or the NAME of a variable that is set.");
  return { name: entry, value };
}

async function testServer(name: string, { json, ...choice }: ServerOptions, io: CommandIo): Promise<void> {
  const api = await openApi(choice, io);
  const text = await api.sendText("POST", `/servers/${encodeURIComponent(name)}/connect`, "{}");
  const { state, toolCount } = JSON.parse(text) as ServerSummary;
  const isFine = state.status === "connected" || state.status === "idle";
  if (json) await writeJson(io, text);
  else if (isFine) await write(io.stdout, `${name} is ${formatState(state.status)}: ${toolCount} tools.\n`);
  if (isFine) return;
  const reason = state.reason === null ? "" : ` ${state.reason}`;
  throw new CommandError(EXIT.failed, json ? "" : `${name} is not connected (${formatState(state.status)}).${reason}`);
}
