// The address of a PostgreSQL database, for scripts and server. It imports no packages.
import { createHash } from "node:crypto";

/** @param {string | undefined} url */
export const isPostgresUrl = (url) => /^postgres(?:ql)?:/i.test(url ?? "");

/** Without user, password and options; null for what is no address of a database. @param {string} url */
export function describePostgresUrl(url) {
  if (!URL.canParse(url)) return null;
  const parsed = new URL(url);
  const database = parsed.pathname.slice(1);
  if (database === "" || database.includes("/")) return null;
  // A folder of sockets stands in the options.
  const host = parsed.host === "" ? (parsed.searchParams.get("host") ?? "localhost") : parsed.host;
  return `postgresql://${host}/${database}`;
}

/** The beginning of the names of files that belong to the database, in the data folder. @param {string} url */
export function namePostgresFiles(url) {
  const location = describePostgresUrl(url) ?? "";
  return `postgres-${createHash("sha256").update(location).digest("hex").slice(0, 8)}`;
}
