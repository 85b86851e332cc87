import type { Readable, Writable } from "node:stream";
import type { WrapCatalog } from "./wrap/plan-wrap";

/** A stream that may be a terminal. */
export type OutputStream = Writable & { isTTY?: boolean; columns?: number };

/** How a server is started in this process. Absent: the usual place or value. */
export interface StartOptions {
  port?: number | undefined;
  host?: string | undefined;
  /** The folder of the database. */
  data?: string | undefined;
  /** The configuration file. */
  config?: string | undefined;
  /** Opens the console in the browser. */
  open?: boolean | undefined;
  verbose?: boolean | undefined;
}

/** The process as commands see it, and what only its entry point can do. */
export interface CommandIo {
  stdin: Readable & { isTTY?: boolean };
  stdout: OutputStream;
  stderr: OutputStream;
  env: Readonly<Record<string, string | undefined>>;
  /** The base of relative paths that the user types. */
  cwd: string;
  /** The base of a relative `DATABASE_URL`. */
  rootDir: string;
  /** The program's own folder. */
  home: string;
  version: string;
  /** Aborts at Ctrl+C. */
  signal: AbortSignal;
  /** Lets the process end some seconds later after Ctrl+C, at the end of this work. */
  holdExit(work: Promise<unknown>): void;
  /** Runs the server until a signal ends it. */
  start(options: StartOptions): Promise<void>;
  /** Serves the catalog over stdio until stdin ends. @param args words for the bridge */
  serveStdio(args: readonly string[], place: Pick<StartOptions, "data" | "config">): Promise<void>;
  /** The import of servers: the running Toolroom's, else one at its database, which is made where it may be. */
  openCatalog(options: { create: boolean; databaseUrl: string | undefined }): Promise<WrapCatalog>;
  /** Fills a new database with the sample data. */
  seed(databaseUrl: string): Promise<void>;
}
