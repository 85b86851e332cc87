import { z } from "zod";

const databaseCopySchema = z.object({
  name: z.string().describe("Its file name; unique"),
  file: z.string().describe("Its path on the machine of the server"),
  kind: z.enum(["backup", "upgrade", "restore"]).describe("Made by a user, before an upgrade, or before a restore"),
  bytes: z.number(),
  hasKey: z.boolean().describe("The key that decrypts its secrets is beside it, as <file>.key"),
  at: z.number(),
});
export type DatabaseCopy = z.infer<typeof databaseCopySchema>;

export const storageStateSchema = z.object({
  location: z.string(),
  databaseBytes: z.number().nullable(),
  freeBytes: z
    .number()
    .nullable()
    .describe("Free pages in the database file, which new calls use again; null on a database server, as is `disk`"),
  walBytes: z.number().nullable().describe("The write-ahead log"),
  searchBytes: z.number().nullable().describe("The search index, `<database>.search`; null on a database server"),
  releasesSpace: z.boolean().describe("Retention makes the file shorter. Where false, `toolroom compact` does, once"),
  keyFile: z
    .string()
    .nullable()
    .describe("The key that encrypts stored secrets; null where TOOLROOM_SECRET_KEY is that key"),
  disk: z
    .object({
      freeBytes: z.number().nullable(),
      totalBytes: z.number().nullable(),
      warning: z.string().nullable(),
      refusesCalls: z.boolean(),
    })
    .nullable(),
  copies: z.array(databaseCopySchema).describe("Newest first"),
  copiesBytes: z.number(),
  makesBackups: z.boolean().describe("False with PostgreSQL, whose own tools make them"),
  backupRunning: z.boolean(),
});
export type StorageState = z.infer<typeof storageStateSchema>;

export const madeBackupSchema = z.object({
  name: z.string(),
  file: z.string(),
  bytes: z.number(),
  keyFile: z
    .string()
    .nullable()
    .describe("The copy of the key; null where TOOLROOM_SECRET_KEY is that key: keep it too"),
  tookMs: z.number(),
});
export type MadeBackup = z.infer<typeof madeBackupSchema>;
