import path from "node:path";
import { isAlive, readRunningServer, serverFile, serverStatus } from "../../../scripts/running-server.mjs";
import { CommandError, EXIT, usageError } from "./command-error";
import type { CommandIo } from "./command-io";

/** The Toolroom that a command connects to. */
export interface ServerChoice {
  /** The address of a Toolroom; absent: that of `TOOLROOM_URL`, else the one that uses the data folder. */
  toolroom?: string | undefined;
  /** The folder of its database. */
  data?: string | undefined;
}

type Place = Pick<CommandIo, "env" | "cwd" | "rootDir">;

/** The database that a data folder holds, as `DATABASE_URL` has it. */
export function toDatabaseUrl(data: string, cwd: string): string {
  return `file:${path.join(path.resolve(cwd, data), "toolroom.db")}`;
}

/** The database that commands are about. */
export function readDatabaseUrl({ data }: ServerChoice, { env, cwd }: Place): string | undefined {
  return data === undefined ? env.DATABASE_URL || undefined : toDatabaseUrl(data, cwd);
}

/** @throws CommandError that says how to start one */
export async function findAddress(choice: ServerChoice, place: Place): Promise<string> {
  const given = choice.toolroom ?? (choice.data === undefined ? place.env.TOOLROOM_URL : undefined);
  if (given) return checkAddress(given);
  const file = serverFile(place.rootDir, readDatabaseUrl(choice, place));
  const noted = readRunningServer(file);
  const status = noted !== null && isAlive(noted.pid) ? await serverStatus(noted.url, file) : null;
  if (noted !== null && (status === "ok" || status === "failing")) return noted.url;
  if (noted !== null && status !== null) {
    throw new CommandError(EXIT.unreachable, `The Toolroom at ${noted.url} is ${status}.`, "Try again in a moment.");
  }
  const folder = path.dirname(file);
  throw new CommandError(
    EXIT.unreachable,
    `No Toolroom is running with the data in ${folder}.`,
    "Start it with: toolroom start. For another one, set TOOLROOM_URL to its address, or name its folder with --data.",
  );
}

function checkAddress(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol)) {
    // The text is not repeated: it may hold a password.
    throw usageError("The address in --toolroom or TOOLROOM_URL must begin with http:// or https://.");
  }
  if (url.username !== "" || url.password !== "") {
    throw usageError("The address of Toolroom must not hold a password.", "Put the token into TOOLROOM_API_TOKEN.");
  }
  return url.origin + url.pathname.replace(/\/+$/, "");
}
