import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { demandDataFolder, findDataFolder, findLocations, findRedirectedDatabases } from "./locations.mjs";
import { readFileUrl, toDatabaseFile } from "./running-server.mjs";

const PACKAGE = { isPackage: true, home: "/opt/toolroom", cwd: "/users/ada/project" };
const CLONE = { isPackage: false, home: "/users/ada/clone", cwd: "/users/ada/project" };
const XDG = { XDG_DATA_HOME: "/users/ada/.data" };

it("finds the platform's folder for data", () => {
  expect(findDataFolder(XDG, "linux", "/users/ada")).toBe("/users/ada/.data/toolroom");
  expect(findDataFolder({ XDG_DATA_HOME: "relative" }, "linux", "/users/ada")).toBe("/users/ada/.local/share/toolroom");
  expect(findDataFolder({}, "darwin", "/Users/ada")).toBe("/Users/ada/Library/Application Support/toolroom");
});

it("keeps data on Windows outside AppData, which programs of the Store see as a copy, unless a folder is there already", () => {
  const env = { LOCALAPPDATA: "/c/local", USERPROFILE: "/c/ada" };
  const earlier = path.join("/c/local", "toolroom");
  expect(findDataFolder(env, "win32", "/c/home", () => false)).toBe(path.join("/c/ada", ".toolroom"));
  expect(findDataFolder({}, "win32", "/c/home", () => false)).toBe(path.join("/c/home", ".toolroom"));
  expect(findDataFolder(env, "win32", "/c/home", (folder) => folder === earlier)).toBe(earlier);
});

it("finds the databases that programs of the Store keep in their copies of AppData, on Windows alone", () => {
  const local = mkdtempSync(path.join(tmpdir(), "toolroom-local-"));
  onTestFinished(() => rmSync(local, { recursive: true }));
  const [one, two] = ["Claude_pzs8sxrjxfjjc", "Other_1"].map((name) =>
    path.join(local, "Packages", name, "LocalCache", "Local", "toolroom"),
  ) as [string, string];
  for (const folder of [one, two]) mkdirSync(folder, { recursive: true });
  writeFileSync(path.join(one, "toolroom.db"), "");
  const env = { LOCALAPPDATA: local };
  expect(findRedirectedDatabases("/c/ada/.toolroom", env, "win32")).toEqual([one]);
  expect(findRedirectedDatabases(one, env, "win32")).toEqual([]);
  expect(findRedirectedDatabases("/c/ada/.toolroom", { LOCALAPPDATA: path.join(local, "none") }, "win32")).toEqual([]);
  expect(findRedirectedDatabases("/c/ada/.toolroom", env, "linux")).toEqual([]);
});

it.each([
  ["file:///C:/x/t.db", "win32", "C:/x/t.db"],
  ["file://C:/x/t.db?mode=rw", "win32", "C:/x/t.db"],
  ["file:/C:/x/t.db", "win32", "C:/x/t.db"],
  ["file:C:\\x\\t.db", "win32", "C:\\x\\t.db"],
  ["file:./data/t.db", "win32", "./data/t.db"],
  ["file:////host/share/t.db", "win32", "//host/share/t.db"],
  ["file:///C:/x/t.db", "linux", "/C:/x/t.db"],
  ["file:///srv/t.db", "linux", "/srv/t.db"],
] as const)("reads the path of %s on %s", (url, platform, file) => {
  expect(readFileUrl(url, platform)).toBe(file);
});

it("keeps a person's files apart from those of the package, and in a clone where they were", () => {
  expect(findLocations({}, { ...PACKAGE, env: XDG })).toEqual({
    home: "/opt/toolroom",
    root: "/users/ada/.data/toolroom",
    data: "/users/ada/.data/toolroom",
    databaseUrl: "file:/users/ada/.data/toolroom/toolroom.db",
    config: undefined,
  });
  expect(findLocations({}, { ...CLONE, env: XDG })).toEqual({
    home: "/users/ada/clone",
    root: "/users/ada/clone",
    data: "/users/ada/clone/data",
    databaseUrl: "file:/users/ada/clone/data/toolroom.db",
    config: undefined,
  });
});

it("takes --data before DATABASE_URL before TOOLROOM_DATA, and relative paths from where it was called", () => {
  const env = { ...XDG, TOOLROOM_DATA: "there", DATABASE_URL: "file:/srv/own.db", TOOLROOM_CONFIG: "/etc/t.json" };
  const find = (options: object, more = {}) => findLocations(options, { ...PACKAGE, env: { ...env, ...more } });
  expect(find({ data: "here", config: "c.json" })).toMatchObject({
    root: "/users/ada/project/here",
    databaseUrl: "file:/users/ada/project/here/toolroom.db",
    config: "/users/ada/project/c.json",
  });
  expect(find({})).toMatchObject({
    root: "/users/ada/project/there",
    databaseUrl: "file:/srv/own.db",
    config: "/etc/t.json",
  });
  expect(find({}, { DATABASE_URL: "" })).toMatchObject({ databaseUrl: "file:/users/ada/project/there/toolroom.db" });
  expect(findLocations({ data: "here" }, { ...CLONE, env: {} })).toMatchObject({
    root: "/users/ada/clone",
    data: "/users/ada/project/here",
  });
});

it("keeps a database on a server where --data names the folder of the other files", () => {
  const url = "postgresql://ada:secret@db.example:5432/tools?sslmode=require";
  const found = findLocations({ data: "here" }, { ...PACKAGE, env: { ...XDG, DATABASE_URL: url } });
  expect(found).toMatchObject({ databaseUrl: url, data: "/users/ada/project/here", root: "/users/ada/project/here" });
  const file = toDatabaseFile(found.root, url, found.data);
  expect(file).toMatch(/^\/users\/ada\/project\/here\/postgres-[0-9a-f]{8}$/);
  // Neither password nor options decide about the files.
  expect(toDatabaseFile(found.root, "postgres://bo:x@db.example:5432/tools", found.data)).toBe(file);
  expect(toDatabaseFile(found.root, "postgres://bo:x@db.example:5432/others", found.data)).not.toBe(file);
});

it("names the data folder that cannot be written, and what to do", () => {
  const folder = mkdtempSync(path.join(tmpdir(), "toolroom-data-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  demandDataFolder(path.join(folder, "made"));
  writeFileSync(path.join(folder, "file"), "");
  expect(() => demandDataFolder(path.join(folder, "file", "data"))).toThrow(
    expect.objectContaining({
      message: expect.stringMatching(/cannot write in its data folder .*file\/data \(ENOTDIR\)\./),
    }),
  );
  // Permissions do not hold root back.
  if (process.getuid?.() === 0) return;
  chmodSync(folder, 0o500);
  expect(() => demandDataFolder(path.join(folder, "more"))).toThrow(
    expect.objectContaining({ wayOut: expect.stringContaining("--data <folder>") }),
  );
  chmodSync(folder, 0o700);
});
