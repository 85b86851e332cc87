import path from "node:path";
import type { Command } from "commander";
import { formatBytes } from "../../lib/format/bytes";
import { getMessage } from "../../lib/get-message";
import { CommandError, EXIT } from "./command-error";
import type { CommandIo } from "./command-io";
import { defineCommand } from "./define-command";
import { readDatabaseUrl, type ServerChoice } from "./find-address";
import { write, writeJson } from "./output";

interface BackupOptions extends Pick<ServerChoice, "data"> {
  json?: boolean;
}

export function addBackupCommands(program: Command, io: CommandIo): void {
  const backup = defineCommand(program, {
    syntax: "backup [file]",
    summary: "Copy the database and its key, also while Toolroom runs",
    details:
      "Writes <file> and <file>.key, which decrypts the secrets in it: keep both private. Default: toolroom-<time>.db in this " +
      "folder. Needs the database's files, so it works on the machine of the server only.",
    examples: [
      ["toolroom backup", "into this folder"],
      ["toolroom backup /backups/toolroom.db --data ~/toolroom", "the data of another folder"],
    ],
  });
  addDataOptions(backup, "print { file, bytes, keyFile }").action((file: string | undefined, options: BackupOptions) =>
    backUp(file, options, io),
  );

  const restore = defineCommand(program, {
    syntax: "restore <file>",
    summary: "Put a backup, or a copy that an upgrade left, in the place of the database",
    details: "What was there is kept beside it. Stop Toolroom first.",
    examples: [
      ["toolroom restore toolroom-2026-12-24.db", "with its key, toolroom-2026-12-24.db.key"],
      ["toolroom restore backup.db --data ~/toolroom", "into another data folder"],
    ],
  });
  addDataOptions(restore, "print { file, previous }").action((file: string, options: BackupOptions) =>
    restoreBackup(file, options, io),
  );
  addCompactCommand(program, io);
}

function addCompactCommand(program: Command, io: CommandIo): void {
  const compact = defineCommand(program, {
    syntax: "compact",
    summary: "Give the free pages of the database back to the disk",
    details:
      "Needed once for a database of an earlier version: from then on retention makes the file shorter while Toolroom runs. " +
      "Stop Toolroom first. Needs up to twice the size of the database on the disk for a while.",
    examples: [
      ["toolroom compact", "the database of the usual folder"],
      ["toolroom compact --data ~/toolroom", "of another folder"],
    ],
  });
  addDataOptions(compact, "print { file, beforeBytes, afterBytes }").action(async (options: BackupOptions) => {
    const { compactOwnDatabase } = await import("../main/backup-database");
    try {
      const done = await compactOwnDatabase(readDatabaseUrl(options, io), io.rootDir);
      if (options.json) return await writeJson(io, JSON.stringify(done));
      const { file, beforeBytes, afterBytes } = done;
      await write(io.stdout, `Compacted ${file}: ${formatBytes(beforeBytes)} → ${formatBytes(afterBytes)}.\n`);
    } catch (error) {
      failCommand(error);
    }
  });
}

function addDataOptions(command: Command, json: string): Command {
  return command.option("--data <folder>", "the folder of the database").option("--json", json);
}

async function backUp(file: string | undefined, options: BackupOptions, io: CommandIo): Promise<void> {
  const time = new Date().toISOString().slice(0, 19).replaceAll(":", "").replace("T", "-");
  const target = path.resolve(io.cwd, file ?? `toolroom-${time}.db`);
  const { backupDatabase } = await import("../main/backup-database");
  const backup = await backupDatabase(readDatabaseUrl(options, io), io.rootDir, target).catch(failCommand);
  if (options.json) return await writeJson(io, JSON.stringify(backup));
  const key =
    backup.keyFile === null ? "Its key is in TOOLROOM_SECRET_KEY: keep it too." : `Its key is ${backup.keyFile}.`;
  await write(io.stdout, `Saved ${formatBytes(backup.bytes)} in ${backup.file}. ${key}\n`);
}

async function restoreBackup(file: string, options: BackupOptions, io: CommandIo): Promise<void> {
  const copy = path.resolve(io.cwd, file);
  const { restoreBackup: restore } = await import("../main/backup-database");
  const { filePath, previous } = await restore(readDatabaseUrl(options, io), io.rootDir, copy).catch(failCommand);
  if (options.json) return await writeJson(io, JSON.stringify({ file: filePath, previous }));
  const kept = previous === null ? "" : ` The database as it was is ${previous}.`;
  await write(io.stdout, `Restored ${filePath}.${kept}\n`);
}

function failCommand(error: unknown): never {
  throw new CommandError(EXIT.failed, getMessage(error));
}
