import type { Command } from "commander";
import type { SecretSetting, ServerSettingsInput } from "../../lib/contract/server";
import { PLATFORM } from "../../lib/platform";
import { serverOperations } from "../features/servers/server-operations";
import { openApi } from "./api-client";
import { usageError } from "./command-error";
import type { CommandIo } from "./command-io";
import { addServerOptions, collect, defineCommand, type ServerOptions } from "./define-command";
import { addOperationCommands, runOperation } from "./operation-commands";
import { write } from "./output";
import { restoreSeparator } from "./restore-separator";

interface AddOptions extends ServerOptions {
  url?: string;
  transport?: string;
  header?: string[];
  env?: string[];
  cwd?: string;
}

export function addServerCommands(program: Command, io: CommandIo): void {
  const servers = addOperationCommands(program, serverOperations, io)
    // `add` reads its own words.
    .enablePositionalOptions();
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
}

async function addServer(name: string, words: readonly string[], options: AddOptions, io: CommandIo): Promise<void> {
  const settings = toSettings(name, PLATFORM === "win32" ? expandUserFolder(words) : words, options, io.env);
  const api = await openApi(options, io);
  await api.send("POST", "/servers", { settings });
  if (!options.json) await write(io.stdout, `Added ${name}.\n`);
  await runOperation(serverOperations.each.reconnect, { name }, options, io);
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
