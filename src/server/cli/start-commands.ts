import { existsSync, readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { type Command, InvalidArgumentError } from "commander";
import { serverFile } from "../../../scripts/running-server.mjs";
import { CommandError, EXIT, isCommandError } from "./command-error";
import type { CommandIo, StartOptions } from "./command-io";
import { defineCommand } from "./define-command";
import { findAddress, readDatabaseUrl, toDatabaseUrl } from "./find-address";
import { write } from "./output";

interface DemoOptions extends Pick<StartOptions, "port" | "data"> {
  reset?: boolean;
  open: boolean;
}

const DATABASE = "toolroom.db";

/** The commands that run a server in this process. */
export function addStartCommands(program: Command, io: CommandIo): void {
  const start = defineCommand(program, {
    syntax: "start",
    summary: "Start Toolroom and keep it running; also what `toolroom` alone does",
    examples: [
      ["toolroom start --open", "start, and open the console in the browser"],
      ["toolroom start --port 4000 --data ~/toolroom", "another port, another data folder"],
    ],
    isDefault: true,
  });
  addPlaceOptions(start)
    .option("--host <address>", "listen on this address; default: 127.0.0.1")
    .option("--config <file>", "read this configuration file")
    .option("--open", "open the console in the browser")
    .option("--verbose", "name every step and log every call")
    .action((options: StartOptions) => io.start(options));

  const demo = defineCommand(program, {
    syntax: "demo",
    summary: "Start Toolroom with sample data in a folder of its own",
    details:
      "The sample data is a busy week of calls, runs and approvals, with providers, retention and alert rules. It stays until `toolroom demo --reset` removes it.",
    examples: [
      ["toolroom demo", "start it, and open the console in the browser"],
      ["toolroom demo --reset", "remove the sample data"],
    ],
  });
  addPlaceOptions(demo)
    .option("--no-open", "do not open the browser")
    .option("--reset", "remove the sample data and end")
    .action((options: DemoOptions) => runDemo(options, io));

  defineCommand(program, {
    syntax: "mcp",
    summary: "Serve the tools over stdio, for clients that start MCP servers as a command",
    details: "Uses the running Toolroom of the data folder, or starts one and stops it when stdin ends.",
    examples: [
      ["toolroom mcp", "every tool"],
      ["toolroom mcp --server files --names plain", "the tools of one server, by the server's own names"],
      ["toolroom mcp --cassette checkout --session ci-7", "recorded tools and calls, and no server"],
    ],
  })
    .option("--server <name>", "only the tools of this MCP server")
    .option("--servers <names>", "only the tools of these MCP servers, separated by commas")
    .option("--set <name>", "only this toolset")
    .option("--cassette <name>", "the recorded tools and calls of this cassette, and no server")
    .option("--session <label>", "the session's name in the report of the cassette")
    .option("--faults <list>", "faults in place of the cassette's own, such as error=0.1,delay=200")
    .option("--names <style>", "plain: the servers' own tool names, where only one tool has the name")
    .option("--tools <names>", "only these tools, separated by commas")
    .option("--wait <seconds>", "how long the first list waits for servers that start for the first time")
    .option("--data <folder>", "the data folder of the Toolroom to use")
    .option("--config <file>", "its configuration file")
    .option("--toolroom <address>", "the Toolroom at this address, also one on another machine")
    .action(({ data, config, ...options }: Record<string, string>) =>
      io.serveStdio(
        Object.entries(options).map(([name, value]) => `--${name}=${value}`),
        { data, config },
      ),
    );
}

function addPlaceOptions(command: Command): Command {
  return command
    .option("--port <number>", "listen on this port; 0 takes a free one", parsePort)
    .option("--data <folder>", "keep the data in this folder");
}

function parsePort(text: string): number {
  const port = Number(text);
  if (/^\d{1,5}$/.test(text) && port <= 65_535) return port;
  throw new InvalidArgumentError("It must be a number from 1 to 65535, or 0 for any free port.");
}

/** A folder in the data folder, so that nothing else is touched. */
function findDemoFolder({ data }: DemoOptions, io: CommandIo): string {
  if (data !== undefined) return path.resolve(io.cwd, data);
  return path.join(path.dirname(serverFile(io.rootDir, readDatabaseUrl({}, io))), "demo");
}

async function runDemo(options: DemoOptions, io: CommandIo): Promise<void> {
  const folder = findDemoFolder(options, io);
  const running = await findRunning(folder, io);
  if (options.reset) {
    if (running !== null) {
      throw new CommandError(EXIT.refused, `The demo is running at ${running}.`, "Stop it with Ctrl+C first.");
    }
    removeDemo(folder, options.data === undefined);
    await write(io.stdout, "The sample data is gone. toolroom demo makes it again.\n");
    return;
  }
  if (running !== null) {
    throw new CommandError(EXIT.refused, `The demo is running already: open ${running}.`);
  }
  if (!existsSync(path.join(folder, DATABASE))) {
    await io.seed(toDatabaseUrl(folder, io.cwd)).catch((error: unknown) => {
      // A folder that is half full would count as complete the next time.
      removeDemo(folder, options.data === undefined);
      throw error;
    });
  }
  await io.start({ port: options.port ?? 0, data: folder, open: options.open });
}

async function findRunning(folder: string, io: CommandIo): Promise<string | null> {
  try {
    return await findAddress({ data: folder }, io);
  } catch (error) {
    if (isCommandError(error)) return null;
    throw error;
  }
}

/** @param isOwn false for a folder that the user named, which may hold other files: then the database alone goes */
function removeDemo(folder: string, isOwn: boolean): void {
  if (isOwn) {
    rmSync(folder, { recursive: true, force: true });
    return;
  }
  for (const entry of existsSync(folder) ? readdirSync(folder) : []) {
    if (/^toolroom\.db(?:$|[.-])/.test(entry)) rmSync(path.join(folder, entry), { recursive: true, force: true });
  }
}
