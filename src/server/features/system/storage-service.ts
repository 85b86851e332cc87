import type { Actor } from "../../../lib/contract/actor";
import type { DatabaseCopy, MadeBackup, StorageState } from "../../../lib/contract/storage";
import { AppError } from "../../platform/shared/app-error";

export interface StoragePorts {
  location: string;
  database: {
    size(): Promise<number | null>;
    /** Null where the database is on a server, as is `disk`. */
    parts(): { unusedBytes: number; walBytes: number; searchBytes: number } | null;
    disk(): StorageState["disk"];
    releasesSpace(): boolean;
  };
  /** Null where the database server makes them. */
  backups: {
    list(): DatabaseCopy[];
    keyFile(): string | null;
    isRunning(): boolean;
    make(): Promise<MadeBackup>;
    remove(name: string): Promise<boolean>;
  } | null;
}

/** The disk usage of the database and its backups. */
export function createStorageService({ location, database, backups }: StoragePorts) {
  return {
    async get(_actor: Actor): Promise<StorageState> {
      const parts = database.parts();
      const copies = backups?.list() ?? [];
      return {
        location,
        databaseBytes: await database.size(),
        disk: database.disk(),
        freeBytes: parts?.unusedBytes ?? null,
        walBytes: parts?.walBytes ?? null,
        searchBytes: parts?.searchBytes ?? null,
        releasesSpace: database.releasesSpace(),
        keyFile: backups?.keyFile() ?? null,
        copies,
        makesBackups: backups !== null,
        backupRunning: backups?.isRunning() ?? false,
        copiesBytes: copies.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },

    /** Copies the database and its key into the folder `backups` beside it, while calls continue. */
    async backUp(_actor: Actor): Promise<MadeBackup> {
      if (backups !== null) return await backups.make();
      throw new AppError("INVALID", "Backups of PostgreSQL are made by its own tools: pg_dump --format=custom");
    },

    async deleteCopy(_actor: Actor, name: string): Promise<void> {
      if ((await backups?.remove(name)) !== true)
        throw new AppError("NOT_FOUND", `There is no copy '${name}' of the database`);
    },
  };
}
