import type { Database } from "./database";
import { LIVING_COPIES } from "./postgres/postgres-sql";

/**
 * A condition on rows with an `owner`: that no other instance of the server which lives has them. Its value is the instance that asks. With SQLite all
 * other owners have ended.
 */
export const isLeftToInstance = (kind: Database["kind"]): string =>
  `(owner IS NULL OR owner = ? OR ${kind === "postgres" ? `owner NOT IN ${LIVING_COPIES}` : "true"})`;
