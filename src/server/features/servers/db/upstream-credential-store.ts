import { z } from "zod";
import type { Actor } from "../../../../lib/contract/actor";
import type { CredentialInfo } from "../../../../lib/contract/credential";
import { isPlainObject } from "../../../../lib/contract/json";
import type { PersonalCredential } from "../../../engine/mcp-ports";
import type { Clock } from "../../../engine/ports";
import type { Database } from "../../../platform/db/database";
import type { UpstreamCredential } from "../../../platform/db/generated/client";
import type { SecretBox } from "../server-store";
import type { UpstreamCredentialStore } from "../upstream-credential-service";

interface Ports {
  db: Database;
  secretBox: SecretBox;
  clock: Pick<Clock, "now">;
  /** The user of every request while accounts are off: one without an account. */
  localOwner: Actor;
}

const toContext = (server: string, user: string): string => `server:${server}:user:${user}`;
const storedValues = z.object({ binding: z.string(), values: z.record(z.string(), z.string()) });

export function createUpstreamCredentialStore({ db, secretBox, clock, localOwner }: Ports): UpstreamCredentialStore {
  const { upstreamCredential } = db.prisma;

  async function write(
    server: string,
    user: string,
    credential: { kind: CredentialInfo["kind"]; text: string; status: CredentialInfo["status"] },
  ): Promise<void> {
    const { text, ...columns } = credential;
    const data = {
      ...columns,
      sealed: secretBox.seal(text, toContext(server, user)),
      userId: user === localOwner.id ? null : user,
      updatedAt: BigInt(clock.now()),
    };
    const key = { serverName: server, personId: user };
    await db.write(() =>
      upstreamCredential.upsert({ where: { serverName_personId: key }, create: { ...key, ...data }, update: data }),
    );
  }

  const remove = async (server: string, user: string): Promise<void> => {
    await db.write(() => upstreamCredential.deleteMany({ where: { serverName: server, personId: user } }));
  };

  return {
    async read(server, user) {
      const row = await upstreamCredential.findUnique({
        where: { serverName_personId: { serverName: server, personId: user } },
        include: { user: { select: { disabledAt: true } } },
      });
      if (row === null || (row.user?.disabledAt ?? null) !== null) return null;
      return toCredential(row, secretBox);
    },

    writeSignIn: (server, user, text) =>
      text === null ? remove(server, user) : write(server, user, { kind: "oauth", text, status: readStatus(text) }),

    async signIns(user) {
      const rows = await upstreamCredential.findMany({ where: { personId: user, kind: "oauth" } });
      return rows.flatMap((row) => {
        const credential = toCredential(row, secretBox);
        return credential?.kind === "oauth" ? [{ server: row.serverName, text: credential.text }] : [];
      });
    },

    writeValues: (server, user, { binding, values }) =>
      write(server, user, { kind: "values", text: JSON.stringify({ binding, values }), status: "ready" }),

    delete: remove,

    async ofUser(user) {
      const rows = await upstreamCredential.findMany({
        where: { personId: user },
        orderBy: { serverName: "asc" },
        omit: { sealed: true },
      });
      return rows.map((row) => ({ server: row.serverName, ...toInfo(row) }));
    },

    async holders(server) {
      const rows = await upstreamCredential.findMany({
        where: { serverName: server },
        omit: { sealed: true },
        include: { user: { select: { name: true, disabledAt: true } } },
      });
      return rows
        .map(({ user, ...row }) => ({
          ...toInfo(row),
          personId: row.personId,
          name: user?.name ?? localOwner.name,
          disabled: (user?.disabledAt ?? null) !== null,
        }))
        .sort((one, other) => one.name.localeCompare(other.name));
    },
  };
}

/** Follows a server to its new name; what cannot be read is deleted, since it is bound to the old one. */
export async function renameUpstreamCredentials(
  { db, secretBox }: Pick<Ports, "db" | "secretBox">,
  from: string,
  to: string,
): Promise<void> {
  const { upstreamCredential } = db.prisma;
  const rows = await upstreamCredential.findMany({ where: { serverName: from } });
  await forgetUpstreamCredentials(db, to);
  for (const { personId, sealed } of rows) {
    const key = { serverName_personId: { serverName: from, personId } };
    const text = openOrNull(secretBox, sealed, toContext(from, personId));
    await db.write(() =>
      text === null
        ? upstreamCredential.delete({ where: key })
        : upstreamCredential.update({
            where: key,
            data: { serverName: to, sealed: secretBox.seal(text, toContext(to, personId)) },
          }),
    );
  }
}

export async function forgetUpstreamCredentials({ prisma, write }: Database, server: string): Promise<void> {
  await write(() => prisma.upstreamCredential.deleteMany({ where: { serverName: server } }));
}

/** Null for what cannot be read, for example with another key: the user connects again. */
function toCredential(row: UpstreamCredential, secretBox: SecretBox): PersonalCredential | null {
  const text = openOrNull(secretBox, row.sealed, toContext(row.serverName, row.personId));
  if (text === null) return null;
  if (row.kind === "oauth") return { kind: "oauth", text };
  const read = storedValues.safeParse(parseJson(text));
  return read.success ? { kind: "values", ...read.data } : null;
}

function openOrNull(secretBox: SecretBox, sealed: string, context: string): string | null {
  try {
    return secretBox.open(sealed, context);
  } catch {
    return null;
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** A sign-in is complete once it has tokens. */
function readStatus(text: string): CredentialInfo["status"] {
  const stored = parseJson(text);
  return isPlainObject(stored) && stored.tokens !== undefined ? "ready" : "pending";
}

function toInfo({ kind, status, updatedAt }: Pick<UpstreamCredential, "kind" | "status" | "updatedAt">) {
  return {
    kind: kind === "oauth" ? ("oauth" as const) : ("values" as const),
    status: status === "ready" ? ("ready" as const) : ("pending" as const),
    updatedAt: Number(updatedAt),
  };
}
