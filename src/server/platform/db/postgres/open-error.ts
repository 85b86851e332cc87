import { DatabaseOpenError } from "../database-file";
import { describePostgresUrl } from "../describe-database";
import { isLostConnection, storageCode } from "../storage-error";

/** Says in words why a PostgreSQL database could not be opened or migrated. Contains no password. */
export function describePostgresError(error: unknown, url: string): Error {
  if (error instanceof DatabaseOpenError) return error;
  const reason = findReason(error, url);
  if (reason === null) return error instanceof Error ? error : new Error(String(error));
  return new DatabaseOpenError(`The database ${describePostgresUrl(url)} ${reason}`, { cause: error });
}

function findReason(error: unknown, url: string): string | null {
  const code = storageCode(error);
  const name = decodeURIComponent(new URL(url).pathname.slice(1));
  switch (code) {
    case "28P01":
      return "refused the user or the password of DATABASE_URL. Correct them, then start again.";
    case "28000":
      return "does not let this user in from here. Check the user of DATABASE_URL, and pg_hba.conf on the server; a server that demands TLS needs ?sslmode=require.";
    case "3D000":
      return `does not exist. Create it with: createdb ${name}`;
    case "42501":
      return `does not let the user of DATABASE_URL create tables. Make the user its owner: ALTER DATABASE "${name}" OWNER TO …`;
    case "53300":
      return "has no connection left. Raise max_connections of the server, or end programs that use it, then start again.";
    case "53100":
      return "cannot be written: the server's disk is full. Free some space there, then start again.";
    case "25006":
      return "is read-only: it is a standby, or its transactions are set to be. Name the primary server in DATABASE_URL.";
    default:
      break;
  }
  if (isTlsError(error)) {
    return `cannot be reached over TLS (${(error as Error).message}). Correct sslmode in DATABASE_URL, or give Node the server's authority with NODE_EXTRA_CA_CERTS.`;
  }
  if (isLostConnection(error)) {
    return `cannot be reached${code === "" ? "" : ` (${code})`}. Check host and port of DATABASE_URL and whether the server runs, then start again.`;
  }
  return null;
}

function isTlsError(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return /SSL|certificate|TLS/i.test(error.message) || /CERT|TLS/.test(storageCode(error));
}
