import { expect, it, onTestFinished } from "vitest";
import { quietLogger } from "../../platform/db/database.test-support";
import { openPostgres } from "../../platform/db/postgres/postgres-database";
import {
  administer,
  createPostgresDatabase,
  HAS_POSTGRES,
} from "../../platform/db/postgres/scratch-postgres.test-support";
import { createDatabaseOrigin } from "./db/database-origin";

it.skipIf(!HAS_POSTGRES)("a role that may not read the control file still tells two databases apart", async () => {
  const { url, remove } = await createPostgresDatabase({ migrated: true });
  onTestFinished(remove);
  const identities: (string | null)[] = [];
  const read = async (address: string): Promise<void> => {
    const db = await openPostgres({ url: address, logger: quietLogger() });
    identities.push(await createDatabaseOrigin(db).readIdentity());
    await db.close();
  };
  await read(url);
  const name = new URL(url).pathname.slice(1);
  await administer(
    url,
    "DROP ROLE IF EXISTS plain_reader",
    "CREATE ROLE plain_reader LOGIN",
    "REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC",
    `GRANT CONNECT ON DATABASE "${name}" TO plain_reader`,
  );
  await read(Object.assign(new URL(url), { username: "plain_reader" }).href);
  const [whole, partial] = identities;
  expect(whole).toMatch(/^\d+\/\d+$/);
  expect(partial).toBe(`/${whole?.split("/")[1]}`);
  await administer(
    url,
    "GRANT EXECUTE ON FUNCTION pg_control_system() TO PUBLIC",
    "DROP OWNED BY plain_reader",
    "DROP ROLE plain_reader",
  );
});
