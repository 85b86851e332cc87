import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { isPostgresUrl } from "../../../../scripts/postgres-address.mjs";
import { copyProgram, isTemporary } from "../../../../scripts/program.mjs";
import { CommandError, EXIT, usageError } from "../command-error";
import { type BridgeCommand, describeBridgeCommand } from "./bridge-command";
import { type ClientFile, listClientFiles, listProjectFiles, readClientFile, type UnreadFile } from "./client-files";
import { CLIENTS, type Client } from "./clients";
import { UneditableText } from "./config-format";
import { type MovingFiles, moveFiles } from "./move-files";
import { type FilePlan, planWrap, type WrapCatalog } from "./plan-wrap";
import { listMoved, planChange } from "./wrap-file";
import { applyPlace, describeMachine, findDatabase, type PlaceOptions, say, type WrapIo, writeJson } from "./wrap-io";
import { describePlan, formatCount, formatHeading, reportFile } from "./wrap-report";

export interface WrapOptions extends PlaceOptions {
  dryRun?: true;
  yes?: true;
  server?: string;
  config?: string;
  /** False moves servers without checking whether they connect. */
  wait?: boolean;
}

/** @param client null for all */
export async function wrapClients(given: WrapIo, client: Client | null, options: WrapOptions): Promise<void> {
  const isDry = options.dryRun === true;
  const asks = !isDry && options.yes !== true;
  if (asks && (given.stdin.isTTY !== true || options.json === true)) {
    throw usageError("Nothing was changed: a confirmation needs a terminal.", "Add --yes, or --dry-run to look first.");
  }
  const io = applyPlace(given, options);
  assertReachable(io);
  const home = describeMachine(io).homeFolder;
  const files = findFiles(io, client, options.config);
  const database = findDatabase(io);
  const { env, rootDir } = io;
  // An installed package has the program and the data in different folders.
  const homeDir = env.TOOLROOM_HOME || rootDir;
  const dataFolder = path.dirname(database);
  const bridge = describeBridgeCommand({ homeDir, rootDir, env, dataFolder });
  const isNew = !env.TOOLROOM_URL && !isPostgresUrl(env.DATABASE_URL) && !existsSync(database);
  // Tests in a temporary Toolroom whether a new one would accept the servers: nothing is created before the user
  // agrees.
  const scratch = isNew ? mkdtempSync(path.join(tmpdir(), "toolroom-plan-")) : null;
  const databaseUrl = scratch === null ? env.DATABASE_URL : `file:${path.join(scratch, "toolroom.db")}`;
  try {
    const unread = files.filter((file): file is UnreadFile => "reason" in file);
    const readable = files.filter((file): file is ClientFile => !("reason" in file));
    // The database is closed before the prompt: a client that starts during the prompt needs it.
    const plans = await useCatalog(io, { create: isNew || !isDry, databaseUrl }, async (catalog) => {
      const planned: FilePlan[] = [];
      for (const file of readable) planned.push(await planWrap(file, options.server ?? null, catalog));
      return planned;
    });
    assertServerFound(plans, options.server);
    for (const plan of plans) rejectUneditable(plan, bridge);
    for (const { client: owner, path: file, reason } of unread) {
      say(io, `${formatHeading(owner, file, home)}\n  left as it is: ${reason}`);
    }
    for (const plan of plans) if (plan.servers.length > 0) say(io, describePlan(plan, home));
    if (options.config === undefined) nameProjectFiles(io, client);
    const open: Moving["open"] = async (use) => {
      if (isTemporary(homeDir)) copyProgram(homeDir, dataFolder);
      if (isNew) writeConfiguration(io, dataFolder);
      return await useCatalog(io, { create: true, databaseUrl: env.DATABASE_URL }, use);
    };
    const only = options.server ?? null;
    const moving = { open, bridge, only, dataFolder, asks, isDry, waits: options.wait !== false };
    const failures = await moveServers(io, plans, moving);
    if (options.json === true) {
      const reports = plans.map((plan) => reportFile(plan, isDry, failures.get(plan.file.path)));
      const left = unread.map(({ client: { id }, path: file, reason }) => ({
        client: id,
        file,
        result: "unread",
        reason,
        servers: [],
      }));
      writeJson(given, { command: bridge, files: [...reports, ...left] });
    }
    assertMoved(plans, failures);
  } finally {
    if (scratch !== null) rmSync(scratch, { recursive: true, force: true });
  }
}

/** @throws CommandError where a server did not move */
function assertMoved(plans: readonly FilePlan[], failures: ReadonlyMap<string, string>): void {
  if (failures.size > 0) {
    throw new CommandError(EXIT.refused, `${formatCount(failures.size, "file")} of the clients stayed as they are.`);
  }
  const failing = plans.flatMap(({ servers }) => servers.filter(({ isFailing }) => isFailing));
  if (failing.length === 0) return;
  const names = [...new Set(failing.map(({ name }) => name))].join(", ");
  const wayOut = "Once they work, run the command again; --no-wait moves servers as they are.";
  throw new CommandError(
    EXIT.failed,
    `${formatCount(failing.length, "server")} did not connect, so that their clients keep them: ${names}.`,
    wayOut,
  );
}

async function useCatalog<Result>(
  io: WrapIo,
  options: Parameters<WrapIo["openCatalog"]>[0],
  use: (catalog: WrapCatalog) => Promise<Result>,
): Promise<Result> {
  const catalog = await io.openCatalog(options);
  try {
    return await use(catalog);
  } finally {
    await catalog.close();
  }
}

/** A Toolroom that is made for the servers of clients has their tools alone, and not those of the example. */
function writeConfiguration({ env, rootDir }: WrapIo, dataFolder: string): void {
  const file = path.join(dataFolder, "config/toolroom.json");
  if (env.TOOLROOM_CONFIG || [file, path.join(rootDir, "config/toolroom.json")].some((each) => existsSync(each)))
    return;
  const note =
    "Written by toolroom wrap, so that the tools of the example are not served. Add your own to the registry.";
  mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${JSON.stringify({ $comment: note, tools: { registry: [] } }, null, 2)}\n`);
}

/** A client's file gets no password, so that what is reached by one would not be found. */
function assertReachable({ env: { TOOLROOM_URL: url, DATABASE_URL: database } }: WrapIo): void {
  if (url) {
    const { username = "", password = "" } = URL.canParse(url) ? new URL(url) : {};
    if (username === "" && password === "") return;
    throw usageError("TOOLROOM_URL must hold no login: it is written into the files of clients.");
  }
  if (!isPostgresUrl(database)) return;
  const wayOut = "Start Toolroom, and set TOOLROOM_URL to its address for this command.";
  throw usageError("The address of a PostgreSQL database is not written into the files of clients.", wayOut);
}

function findFiles(io: WrapIo, client: Client | null, config: string | undefined): (ClientFile | UnreadFile)[] {
  const machine = describeMachine(io);
  if (config === undefined) {
    const files = listClientFiles(machine, client === null ? CLIENTS : [client]).map(([owner, file]) =>
      readClientFile(owner, file, machine),
    );
    const used = files.filter((file) => "reason" in file || file.sections.length > 0);
    if (client === null || used.length > 0 || listProjectFiles(machine, [client]).length > 0) return used;
    throw new CommandError(EXIT.notFound, `No servers of ${client.label} were found.`, "Name its file with --config.");
  }
  const file = path.resolve(io.cwd, config);
  const read = (client === null ? CLIENTS : [client]).map((each) => readClientFile(each, file, machine));
  const fitting = read.filter((each): each is ClientFile => !("reason" in each) && each.sections.length > 0);
  const named = fitting.find((each) =>
    [...each.client.files(machine), ...each.client.projectFiles].some(
      (own) => path.basename(own) === path.basename(file),
    ),
  );
  const found = named ?? fitting[0];
  if (found !== undefined) return [found];
  const unread = read.find((each): each is UnreadFile => "reason" in each);
  throw new CommandError(
    EXIT.notFound,
    `${file} ${unread?.reason ?? "holds no servers of a client that is known here"}.`,
  );
}

/** Names the files of a project, which are not changed. */
function nameProjectFiles(io: WrapIo, client: Client | null): void {
  const machine = describeMachine(io);
  for (const [owner, file] of listProjectFiles(machine, client === null ? CLIENTS : [client])) {
    const read = readClientFile(owner, file, machine);
    if ("reason" in read || read.sections.length === 0) continue;
    const name = path.relative(io.cwd, file);
    say(
      io,
      `${formatHeading(owner, file, machine.homeFolder)}\n  left as it is: others may share it; wrap it with --config ${name}`,
    );
  }
}

function assertServerFound(plans: readonly FilePlan[], name: string | undefined): void {
  if (name === undefined || plans.some(({ servers }) => servers.some((server) => server.name === name))) return;
  throw new CommandError(
    EXIT.notFound,
    `No client has a server '${name}'.`,
    "See them all with: toolroom wrap --dry-run",
  );
}

/** Servers of a file that cannot be edited stay. */
function rejectUneditable(plan: FilePlan, bridge: BridgeCommand): void {
  try {
    planChange(plan, bridge);
  } catch (error) {
    if (!(error instanceof UneditableText)) throw error;
    const reason = `the file ${error.message}`;
    for (const server of listMoved(plan)) Object.assign(server, { action: "stay", reason });
  }
}

interface Moving extends MovingFiles {
  /** Opens the Toolroom that receives the servers; creates it where there is none. */
  open: (use: (catalog: WrapCatalog) => Promise<Map<string, string>>) => Promise<Map<string, string>>;
  asks: boolean;
  isDry: boolean;
}

/** @returns the reasons why files stayed unchanged, by path */
async function moveServers(io: WrapIo, plans: readonly FilePlan[], moving: Moving): Promise<Map<string, string>> {
  const { open, bridge, asks, isDry } = moving;
  const changing = plans.filter((plan) => listMoved(plan).length > 0);
  const count = changing.reduce((sum, plan) => sum + listMoved(plan).length, 0);
  const total = `${formatCount(count, "server")} of ${formatCount(changing.length, "file")}`;
  if (count > 0) say(io, `\nIn their place: toolroom (${[bridge.command, ...bridge.args].join(" ")})`);
  if (count === 0) say(io, "No servers to move.");
  else if (isDry) say(io, `${total} would move. Nothing was changed.`);
  else {
    if (asks) await confirm(io, `Move ${total} into Toolroom?`);
    const work = open((catalog) => moveFiles(io, changing, moving, catalog));
    io.holdExit?.(work.catch(() => undefined));
    const failures = await work;
    if (failures.size > 0 || changing.every((plan) => listMoved(plan).length === 0)) return failures;
    if (io.env.TOOLROOM_API_TOKEN) {
      say(io, "\nToolroom has accounts: give the entry an API token of yours, TOOLROOM_API_TOKEN in its environment.");
    }
    say(io, "\nRestart the clients to use Toolroom. Take it back with: toolroom unwrap");
  }
  return new Map();
}

/** @throws CommandError when the user answers no */
async function confirm({ stdin, stdout }: WrapIo, question: string): Promise<void> {
  const terminal = createInterface({ input: stdin, output: stdout });
  try {
    const answer = await new Promise<string>((resolve) => {
      terminal.once("line", resolve);
      // The end of the input counts as no answer.
      terminal.once("close", () => resolve(""));
      terminal.setPrompt(`${question} [y/N] `);
      terminal.prompt();
    });
    if (/^y(?:es)?$/i.test(answer.trim())) return;
  } finally {
    terminal.close();
  }
  throw new CommandError(EXIT.refused, "Nothing was changed.");
}
