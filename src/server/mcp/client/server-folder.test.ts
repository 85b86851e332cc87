import { existsSync, mkdirSync, mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect, it } from "vitest";
import { openBench, script } from "./connections.test-support";
import { findServerFolder } from "./server-folder";

const newFolder = (): string => realpathSync(mkdtempSync(path.join(tmpdir(), "server-folder-")));
/** Prints its folder and its arguments, and ends. */
const TELL = 'console.error([process.cwd(), ...process.argv.slice(1)].join("\\n")); process.exit(1);';

/** Why a server that is described by `settings` could not be started. */
async function toReason(settings: ReturnType<typeof script>, folder: string, rootDir = process.cwd()) {
  const { connections } = openBench({ rootDir, home: process.cwd(), getFolder: (server) => path.join(folder, server) });
  connections.apply(settings);
  const { reason } = await connections.ready(settings.name);
  return reason ?? "";
}

it("a stdio server runs in a folder of its own, which is made; a relative file is that of Toolroom's folder", async () => {
  const folder = newFolder();
  const args = ["-e", TELL, "--", "package.json", "./package.json", "src/lib", "src/lib/contract/server.ts"];
  const reason = await toReason({ ...script("own"), args }, folder);
  const files = ["package.json", path.resolve("package.json"), "src/lib", path.resolve("src/lib/contract/server.ts")];
  expect(reason).toContain([path.join(folder, "own"), ...files].join("\n"));
});

it("a relative file that is not in the user's folder is one of Toolroom's own, as the sample server is", async () => {
  const args = ["-e", TELL, "--", "./package.json"];
  const reason = await toReason({ ...script("sample"), args }, newFolder(), newFolder());
  expect(reason).toContain(path.resolve("package.json"));
});

it("a stdio server with 'cwd' runs there, with its arguments as they are", async () => {
  const folder = newFolder();
  const args = ["-e", TELL, "--", "./package.json"];
  const reason = await toReason({ ...script("there"), args, cwd: "src/lib" }, folder);
  expect(reason).toContain(`${path.resolve("src/lib")}\n./package.json`);
  expect(existsSync(path.join(folder, "there"))).toBe(false);
});

it("a folder that cannot be made is named", async () => {
  const reason = await toReason(script("x"), path.resolve("package.json"));
  expect(reason).toContain(`The working folder '${path.resolve("package.json", "x")}' could not be made (ENOTDIR)`);
});

it.each([
  [
    "Python",
    [
      "Traceback (most recent call last):",
      "KeyError: 'A'",
      ...Array(9).fill("  File x"),
      "RuntimeError: no key",
      ...Array(6).fill("warn"),
    ],
    /KeyError: 'A'\nRuntimeError: no key\n…\n(?:warn\n?){5}$/,
  ],
  [
    "npm",
    [
      "npm error code E404",
      "npm error 404 Not Found - GET http://x",
      ...Array(9).fill("npm error 404"),
      "npm error A complete log",
    ],
    /npm error code E404\nnpm error 404 Not Found - GET http:\/\/x\nnpm error 404/,
  ],
  [
    "Node",
    ["Error: Cannot find module 'x'", "Require stack:", ...Array(9).fill("    at y"), "}", "Node.js v20"],
    /Error: Cannot find module 'x'\n…\n {4}at y/,
  ],
  ["nothing else", ["one", "two"], /stderr:\none\ntwo$/],
])("a server that ends says with which error, however much came after it: %s", async (_, lines, expected) => {
  const args = ["-e", `console.error(${JSON.stringify(lines.join("\n"))}); process.exit(1);`];
  expect(await toReason({ ...script("failing"), args }, newFolder())).toMatch(expected);
});

it("names of servers that differ in case, and those of devices, have folders of their own that Windows and macOS can make", () => {
  const names = ["files", "Files", "FILES", "con", "CON", "nul", "com1", "LPT9", "console"];
  for (const platform of ["win32", "darwin"] as const) {
    const folders = names.map((name) => path.basename(findServerFolder("/none", name, platform)));
    expect(new Set(folders.map((each) => each.toLowerCase())).size).toBe(names.length);
    expect(folders).toContain("files");
    expect(folders).toContain("console");
    if (platform === "win32")
      expect(folders.filter((each) => /^(?:con|nul|com1|lpt9)(?:\.|$)/i.test(each))).toEqual([]);
  }
  expect(names.map((name) => path.basename(findServerFolder("/none", name, "linux")))).toEqual(names);
});

it("a server keeps the folder that it had where case is ignored, and another one does not get it", () => {
  const folder = newFolder();
  for (const name of ["Files", "Notes.ada"]) mkdirSync(path.join(folder, name));
  expect(findServerFolder(folder, "Files", "darwin")).toBe(path.join(folder, "Files"));
  expect(findServerFolder(folder, "Notes", "win32")).toBe(path.join(folder, "Notes"));
  expect(path.basename(findServerFolder(folder, "files", "darwin"))).toMatch(/^files~[0-9a-f]{8}$/);
});
