import { describe, expect, it } from "vitest";
import { isDisabledEntry, normalizeEntry } from "./normalize-entry";

describe("isDisabledEntry", () => {
  it.each([
    { disabled: true },
    { enabled: false },
    { disabled: "true" },
    { disabled: "yes" },
    { enabled: "no" },
    { enabled: 0 },
  ])("is true of %j", (entry) => {
    expect(isDisabledEntry(entry)).toBe(true);
  });
  it.each([
    {},
    { disabled: false },
    { enabled: true },
    { disabled: null },
    { enabled: "yes" },
    { disabled: {} },
    "off",
    null,
  ])("is false of %j", (entry) => {
    expect(isDisabledEntry(entry)).toBe(false);
  });
});

it.each([
  [["/c", "npx", "-y", "pkg", "a b"], "npx", ["-y", "pkg", "a b"]],
  [["/C", "npx.cmd", "-y", "pkg"], "npx", ["-y", "pkg"]],
  [["/d", "/s", "/v:off", "/c", "uvx", "pkg"], "uvx", ["pkg"]],
  [["/c", 'npx -y pkg "a b"'], "npx", ["-y", "pkg", "a b"]],
])("a package runner behind the shell of Windows is started without it: %j", (args, command, rest) => {
  for (const shell of ["cmd", "cmd.exe", "C:\\Windows\\System32\\CMD.EXE"]) {
    expect(normalizeEntry({ command: shell, args })).toEqual({ command, args: rest });
  }
});

it.each([
  [["/c", "npx", "-y", "pkg", "&&", "echo"]],
  [["/c", "npx -y pkg > log.txt"]],
  [["/c", "npx", "pkg", "%APPDATA%\\pkg"]],
  [["/c", "start-server.bat"]],
  [["/c", "set", "A=1"]],
  [["/k", "npx", "pkg"]],
  [["/c"]],
])("what only the shell of Windows understands keeps it: %j", (args) => {
  expect(normalizeEntry({ command: "cmd", args })).toEqual({ command: "cmd", args });
});
