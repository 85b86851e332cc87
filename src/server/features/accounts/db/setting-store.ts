import type { Database } from "../../../platform/db/database";

/** The settings of the settings pages. */
export interface SettingStore {
  read(key: string): Promise<string | null>;
  write(key: string, value: string): Promise<void>;
  /** @param before the value that was read; null for none @returns false where it is another one now */
  replace(key: string, before: string | null, value: string): Promise<boolean>;
}

const INSERT = 'INSERT INTO "Setting" (key, value, "updatedAt") VALUES (?, ?, ?) ON CONFLICT (key) DO NOTHING';
const REPLACE = 'UPDATE "Setting" SET value = ?, "updatedAt" = ? WHERE key = ? AND value = ?';

export function createSettingStore({ db }: { db: Database }): SettingStore {
  const { setting } = db.prisma;
  return {
    read: async (key) => (await setting.findUnique({ where: { key } }))?.value ?? null,
    replace: async (key, before, value) =>
      (before === null
        ? await db.change(INSERT, key, value, Date.now())
        : await db.change(REPLACE, value, Date.now(), key, before)) === 1,
    async write(key, value) {
      const data = { value, updatedAt: BigInt(Date.now()) };
      await db.write(() => setting.upsert({ where: { key }, create: { key, ...data }, update: data }));
    },
  };
}
