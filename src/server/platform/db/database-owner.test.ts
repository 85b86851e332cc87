import fs, { mkdtempSync, readFileSync, rmSync, statSync, symlinkSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import Database from "../../../../scripts/sqlite.mjs";
import { claimSqlite } from "./database-owner";

const ADDRESS = "http://127.0.0.1:4000";

let folder: string;
let filePath: string;
let url: string;
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), "toolroom-owner-"));
  filePath = path.join(folder, "toolroom.db");
  url = `file:${filePath}`;
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

describe("the owner of a database", () => {
  it.skipIf(process.platform !== "linux")("is nobody on a network file system, whose locks do not hold", () => {
    const statfs = vi.spyOn(fs, "statfsSync").mockReturnValue({ type: 0x6969 } as fs.StatsFs);
    syncBuiltinESMExports();
    onTestFinished(() => {
      statfs.mockRestore();
      syncBuiltinESMExports();
    });
    expect(() => claimSqlite(url, ADDRESS)).toThrow(
      `The folder ${folder} is on a network file system (NFS), where SQLite's locks do not hold. Choose a folder on a local disk with --data`,
    );
  });

  it("is one: another claim is refused with its address, its pid and the way out", () => {
    const claim = claimSqlite(url, ADDRESS);
    onTestFinished(claim.release);
    expect(() => claimSqlite(url, "http://127.0.0.1:4001")).toThrow(
      `The database ${filePath} is in use by the Toolroom at ${ADDRESS} (pid ${process.pid}). Use that one, or stop it first, or set DATABASE_URL to another file.`,
    );
    // A refused one takes nothing away.
    expect(() => claimSqlite(url, null)).toThrow(ADDRESS);
    expect(readFileSync(filePath)).toHaveLength(0);
  });

  it("may be a command, which has no address", () => {
    const claim = claimSqlite(url, null);
    onTestFinished(claim.release);
    expect(() => claimSqlite(url, ADDRESS)).toThrow(
      `in use by another Toolroom command (pid ${process.pid}). Wait until it has ended`,
    );
  });

  it("is followed at once by another when it lets go, and names that one then", () => {
    const first = claimSqlite(url, ADDRESS);
    first.release();
    first.release();
    const second = claimSqlite(url, "http://127.0.0.1:4001");
    onTestFinished(second.release);
    expect(() => claimSqlite(url, ADDRESS)).toThrow("the Toolroom at http://127.0.0.1:4001");
  });

  it("holds the file under each of its names, and keeps nobody from reading and writing it", () => {
    const claim = claimSqlite(url, ADDRESS);
    onTestFinished(claim.release);
    symlinkSync(filePath, path.join(folder, "link.db"));
    expect(() => claimSqlite(`file:${folder}/link.db`, null)).toThrow(ADDRESS);
    const raw = new Database(filePath);
    expect(raw.exec("CREATE TABLE t (a); INSERT INTO t VALUES (1)").prepare("SELECT a FROM t").pluck().get()).toBe(1);
    raw.close();
  });

  it("is noted in a file that other users cannot read, and whose damage is named", () => {
    const claim = claimSqlite(url, ADDRESS);
    const file = `${filePath}.owner`;
    if (process.platform !== "win32") expect(statSync(file).mode & 0o077).toBe(0);
    claim.release();
    rmSync(file);
    symlinkSync(path.resolve("package.json"), file);
    expect(() => claimSqlite(url, ADDRESS)).toThrow(`The database ${file} is not a Toolroom database`);
  });
});
