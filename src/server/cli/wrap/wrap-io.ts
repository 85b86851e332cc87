import { homedir } from "node:os";
import path from "node:path";
import { type Readable, Writable } from "node:stream";
import { serverFile } from "../../../../scripts/running-server.mjs";
import { IS_WINDOWS, PLATFORM } from "../../../lib/platform";
import type { Machine } from "./clients";
import type { WrapCatalog } from "./plan-wrap";

/** The parts of the process that these commands use. */
export interface WrapIo {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  env: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths that the user types. */
  cwd: string;
  /** The base of a relative `DATABASE_URL`. */
  rootDir: string;
  /**
   * The import of servers: the running Toolroom's, else one at its database, which is made where it may be.
   * `databaseUrl` is undefined for the usual database.
   */
  openCatalog(options: { create: boolean; databaseUrl: string | undefined }): Promise<WrapCatalog>;
  /** Aborts at Ctrl+C. */
  signal?: AbortSignal;
  /** Lets the process end some seconds later after Ctrl+C, at the end of this work. */
  holdExit?(work: Promise<unknown>): void;
}

/** The options of both commands. */
export interface PlaceOptions {
  /** The folder of the database. */
  data?: string;
  /** Prints one JSON value and nothing else. */
  json?: true;
}

const NOWHERE = new Writable({ write: (_piece, _encoding, done) => done() });

/** The process for a command with these options: the database that they name, and no text for users beside JSON. */
export function applyPlace(io: WrapIo, { data, json }: PlaceOptions): WrapIo {
  const database = data === undefined ? undefined : `file:${path.join(path.resolve(io.cwd, data), "toolroom.db")}`;
  return {
    ...io,
    ...(json === true && { stdout: NOWHERE }),
    ...(database !== undefined && { env: { ...io.env, DATABASE_URL: database, TOOLROOM_URL: undefined } }),
  };
}

export function describeMachine({ env, cwd }: WrapIo): Machine {
  const homeFolder = (IS_WINDOWS ? env.USERPROFILE : env.HOME) || homedir();
  return { platform: PLATFORM, homeFolder, workFolder: cwd, env };
}

/** The database that the entry in the clients' files will be about. */
export function findDatabase({ rootDir, env }: WrapIo): string {
  return serverFile(rootDir, env.DATABASE_URL).replace(/\.server\.json$/, "");
}

export function say({ stdout }: WrapIo, text: string): void {
  stdout.write(`${text}\n`);
}

export function writeJson({ stdout }: WrapIo, value: unknown): void {
  stdout.write(`${JSON.stringify(value)}\n`);
}
