import { z } from "zod";
import type { IssuedTokens } from "../../../../lib/contract/proven-identity";
import type { Database } from "../../../platform/db/database";
import type { IdentityTokenStore } from "../identity-token-store";

interface Ports {
  db: Database;
  secretBox: {
    seal(plain: string, context: string): string;
    open(sealed: string, context: string): string;
  };
  now(): number;
}

const keptIdentity: z.ZodType<IssuedTokens> = z.object({
  issuer: z.string(),
  subject: z.string(),
  idToken: z.string(),
  refreshToken: z.string().nullable(),
  expiresAt: z.number(),
});

const toContext = (userId: string): string => `identity:${userId}`;

export function createIdentityTokenStore({ db, secretBox, now }: Ports): IdentityTokenStore {
  const { identityToken } = db.prisma;

  function open(userId: string, sealed: string): IssuedTokens | null {
    try {
      return keptIdentity.parse(JSON.parse(secretBox.open(sealed, toContext(userId))));
    } catch {
      // Sealed with another key: the user signs in again.
      return null;
    }
  }

  return {
    async read(userId) {
      const row = await identityToken.findUnique({
        where: { userId },
        include: { user: { select: { disabledAt: true } } },
      });
      return row === null || row.user.disabledAt !== null ? null : open(userId, row.sealed);
    },

    async write(userId, identity) {
      const data = {
        sealed: secretBox.seal(JSON.stringify(identity), toContext(userId)),
        updatedAt: BigInt(now()),
      };
      await db.write(() => identityToken.upsert({ where: { userId }, create: { userId, ...data }, update: data }));
    },

    async delete(userId) {
      await db.write(() => identityToken.deleteMany({ where: { userId } }));
    },
  };
}
