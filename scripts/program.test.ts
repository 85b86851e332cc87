import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { copyProgram, findBridgeScript, findNode, isTemporary, refreshLaunched } from "./program.mjs";

let folder: string;
let data: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(path.join(tmpdir(), "toolroom-program-")));
  data = path.join(folder, "data");
});

/** A program in npx's cache that prints its version. */
function makeProgram(version: string, place = "cache/_npx"): string {
  const home = path.join(folder, place, `${version}/node_modules/toolroom`);
  mkdirSync(path.join(home, "scripts"), { recursive: true });
  writeFileSync(path.join(home, "package.json"), JSON.stringify({ version, type: "module" }));
  writeFileSync(path.join(home, "scripts/part.mjs"), `export const version = ${JSON.stringify(version)};\n`);
  writeFileSync(
    path.join(home, "scripts/mcp.mjs"),
    'import { version } from "./part.mjs";\nconsole.log(version, ...process.argv.slice(2));\n',
  );
  return home;
}

const run = (script: string): string =>
  execFileSync(process.execPath, [script, "--names", "plain"], { encoding: "utf8" }).trim();

describe("the program that a client starts", () => {
  it("is copied out of a cache, and runs once the cache is cleaned", () => {
    const home = makeProgram("1.0.0");
    expect(copyProgram(home, data)).toBe(findBridgeScript(home, data));
    rmSync(path.join(folder, "cache"), { recursive: true });
    expect(run(findBridgeScript(home, data))).toBe("1.0.0 --names plain");
  });

  it("is the new version once that has started with the data, and no start without a wrapped client copies one", () => {
    refreshLaunched(makeProgram("1.0.0"), data);
    expect(existsSync(path.join(data, "program"))).toBe(false);
    const script = copyProgram(makeProgram("1.0.0"), data);
    for (const version of ["1.1.0", "1.2.0"]) {
      refreshLaunched(makeProgram(version), data);
      expect(run(script)).toBe(`${version} --names plain`);
    }
    // The copy before may still run.
    expect(readdirSync(path.dirname(script)).sort()).toEqual(["1.1.0", "1.2.0", "current", "mcp.mjs"]);
    refreshLaunched(path.join(data, "program/1.1.0"), data);
    expect(run(script)).toBe("1.2.0 --names plain");
    // An installation that stays is started where it is.
    refreshLaunched(makeProgram("1.3.0", "lib"), data);
    expect(run(script)).toBe("1.3.0 --names plain");
    expect(readdirSync(path.dirname(script)).sort()).toEqual(["1.1.0", "1.2.0", "current", "mcp.mjs"]);
  });

  it("is the installed one where the installation stays", () => {
    const home = path.join(folder, "lib/node_modules/toolroom");
    expect(findBridgeScript(home, data)).toBe(path.join(home, "scripts/mcp.mjs"));
    expect(["/home/ada/clone", "/usr/lib/node_modules/toolroom"].map(isTemporary)).toEqual([false, false]);
    const caches = [
      "/home/ada/.npm/_npx/5d/node_modules/toolroom",
      "/home/ada/.cache/pnpm/dlx/1a/node_modules/toolroom",
      "/tmp/xfs-1/dlx-9/node_modules/toolroom",
      "/tmp/bunx-1000-toolroom@latest/node_modules/toolroom",
    ];
    expect(caches.map(isTemporary)).toEqual([true, true, true, true]);
  });
});

describe("the Node that a client starts", () => {
  it("is named in full, without links that end with a shell", () => {
    const shell = path.join(folder, "fnm_multishells/1");
    mkdirSync(shell, { recursive: true });
    symlinkSync(process.execPath, path.join(shell, "node"));
    expect(findNode({ execPath: path.join(shell, "node") })).toBe(realpathSync(process.execPath));
  });

  it("is named by Homebrew's link, which stays when its version goes", () => {
    const cellar = path.join(folder, "opt/Cellar/node/22.1.0/bin");
    const bin = path.join(folder, "opt/bin");
    for (const each of [cellar, bin]) mkdirSync(each, { recursive: true });
    writeFileSync(path.join(cellar, "node"), "");
    symlinkSync(path.join(cellar, "node"), path.join(bin, "node"));
    const execPath = path.join(cellar, "node");
    expect(findNode({ execPath, searchPath: `/nowhere:${bin}` })).toBe(path.join(bin, "node"));
    expect(findNode({ execPath, searchPath: "/nowhere" })).toBe(execPath);
  });
});
