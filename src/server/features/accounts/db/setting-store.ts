import type { Database } from "../../../platform/db/database";

/** The settings of the settings pages. */
export interface SettingStore {
  read(key: string): Promise<string | null>;
  write(key: string, value: string): Promise<void>;
}

export function createSettingStore({ db }: { db: Database }): SettingStore {
  const { setting } = db.prisma;
  return {
    read: async (key) => (await setting.findUnique({ where: { key } }))?.value ?? null,
    async write(key, value) {
      const data = { value, updatedAt: BigInt(Date.now()) };
      await db.write(() => setting.upsert({ where: { key }, create: { key, ...data }, update: data }));
    },
  };
}
