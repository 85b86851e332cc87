import { describe, expect, it } from "vitest";
import { resolveWindowsCommand } from "./windows-command";

const NODE = "C:\\app\\node.exe";
const NPX = `@ECHO OFF
SETLOCAL
SET "NODE_EXE=%~dp0\\node.exe"
IF NOT EXIST "%NODE_EXE%" (
  SET "NODE_EXE=node"
)
SET "NPM_PREFIX_JS=%~dp0\\node_modules\\npm\\bin\\npm-prefix.js"
SET "NPX_CLI_JS=%~dp0\\node_modules\\npm\\bin\\npx-cli.js"
FOR /F "delims=" %%F IN ('CALL "%NODE_EXE%" "%NPM_PREFIX_JS%"') DO (
  SET "NPM_PREFIX_NPX_CLI_JS=%%F\\node_modules\\npm\\bin\\npx-cli.js"
)
IF EXIST "%NPM_PREFIX_NPX_CLI_JS%" (
  SET "NPX_CLI_JS=%NPM_PREFIX_NPX_CLI_JS%"
)
"%NODE_EXE%" "%NPX_CLI_JS%" %*
`;
const SHIM = `@ECHO off
IF EXIST "%dp0%\\node.exe" (
  SET "_prog=%dp0%\\node.exe"
) ELSE (
  SET "_prog=node"
)
endLocal & goto #_undefined_# 2>NUL || title %COMSPEC% & "%_prog%"  "%dp0%\\node_modules\\server-x\\dist\\index.mjs" %*
`;
/** Texts of files, by their lower-case paths. */
const FILES: Record<string, string> = {
  "c:\\program files\\nodejs\\node.exe": "",
  "c:\\program files\\nodejs\\npx.cmd": NPX,
  "c:\\program files\\nodejs\\node_modules\\npm\\bin\\npx-cli.js": "",
  "c:\\program files\\nodejs\\node_modules\\npm\\bin\\npm-prefix.js": "",
  "c:\\users\\ada\\npm\\server-x.cmd": SHIM,
  "c:\\users\\ada\\npm\\node_modules\\server-x\\dist\\index.mjs": "",
  "c:\\tools\\uvx.exe": "",
  "c:\\tools\\run.bat": "@python server.py %*\r\n",
  "c:\\work\\local.exe": "",
};
const PATH = 'C:\\Tools;"C:\\Program Files\\nodejs";C:\\Users\\Ada\\npm';
const files = {
  isFile: (file: string) => file.toLowerCase() in FILES,
  readText: (file: string) => FILES[file.toLowerCase()] ?? "",
};
const resolve = (command: string, args: string[] = [], environment: Record<string, string> = { Path: PATH }) =>
  resolveWindowsCommand({ command, args, environment, cwd: "C:\\work" }, NODE, files);

describe("a command on Windows", () => {
  it.each([
    ["uvx", "C:\\Tools\\uvx.exe"],
    ["UVX.EXE", "C:\\Tools\\UVX.EXE"],
    ["C:\\Tools\\uvx", "C:\\Tools\\uvx.exe"],
    [".\\local", "C:\\work\\local.exe"],
    ["node", "C:\\Program Files\\nodejs\\node.exe"],
  ])("that is a program starts directly: %s", (command, file) => {
    expect(resolve(command, ["a b", 'q"q', "%PATH%"])).toEqual({
      command: file,
      args: ["a b", 'q"q', "%PATH%"],
      verbatim: false,
    });
  });

  it.each(["npx", "npx.cmd", "C:\\Program Files\\nodejs\\npx.cmd"])(
    "that npm's own script stands for starts as Node, with exact arguments: %s",
    (command) => {
      expect(resolve(command, ["-y", "server@1", "a&b|%PATH%^"])).toEqual({
        command: "C:\\Program Files\\nodejs\\node.exe",
        args: ["C:\\Program Files\\nodejs\\node_modules\\npm\\bin\\npx-cli.js", "-y", "server@1", "a&b|%PATH%^"],
        verbatim: false,
      });
    },
  );

  it("that a package installed starts as Node with the package's file; without a Node on PATH with the one that runs Toolroom", () => {
    const args = ["C:\\Users\\Ada\\npm\\node_modules\\server-x\\dist\\index.mjs", "--x"];
    expect(resolve("server-x", ["--x"])).toEqual({
      command: "C:\\Program Files\\nodejs\\node.exe",
      args,
      verbatim: false,
    });
    expect(resolve("server-x", ["--x"], { PATH: "C:\\Users\\Ada\\npm" }).command).toBe(NODE);
  });

  it("that is another script runs by cmd.exe, which expands and joins nothing", () => {
    const { command, args, verbatim } = resolve("run", ["a&b", "%PATH%", 'q" & calc', "!x!", "c:\\"], {
      PATH,
      ComSpec: "C:\\Windows\\System32\\cmd.exe",
    });
    expect([command, verbatim]).toEqual(["C:\\Windows\\System32\\cmd.exe", true]);
    expect(args.slice(0, 4)).toEqual(["/d", "/v:off", "/s", "/c"]);
    const line = args[4] ?? "";
    expect(line.startsWith('"^"C:\\Tools\\run.bat^" ')).toBe(true);
    // The text as cmd.exe and then the script read it: without one caret of each pair.
    const readOnce = (text: string): string => text.replaceAll(/\^([\s\S])/g, "$1");
    expect(readOnce(readOnce(line.slice(1, -1)))).toBe(
      '"C:\\Tools\\run.bat" "a&b" "%PATH%" "q\\" & calc" "!x!" "c:\\\\"',
    );
    // No character that cmd.exe understands is left without a caret, at either reading.
    for (const text of [line.slice(1, -1), readOnce(line.slice(1, -1)).replace(/^"[^"]*"/, "")]) {
      expect(text.replaceAll(/\^[\s\S]/g, "")).not.toMatch(/[&|<>%!"]/);
    }
  });

  it("refuses a line break for a script, and names it", () => {
    expect(() => resolve("run", ["fine", "two\nlines"])).toThrow(
      "argument 2 has a line break, which a script (run.bat) cannot get",
    );
    expect(resolve("uvx", ["two\nlines"]).args).toEqual(["two\nlines"]);
  });

  it.each([
    ["missing", "None of missing.com, missing.exe, missing.bat, missing.cmd is in the folders of PATH"],
    ["C:\\Tools\\missing.exe", "None of missing.exe is in C:\\Tools"],
    ["local", "None of local.com, local.exe, local.bat, local.cmd is in the folders of PATH"],
  ])("that is missing is named with where it was looked for: %s", (command, message) => {
    expect(() => resolve(command)).toThrow(message);
  });
});
