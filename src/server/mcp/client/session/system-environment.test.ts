import { expect, it } from "vitest";
import { completeEnvironment } from "./system-environment";

const MAC = { platform: "darwin", execPath: "/Users/ada/.nvm/versions/node/v22/bin/node" } as const;
const WINDOWS = { platform: "win32", execPath: "C:\\node\\node.exe" } as const;
const LAUNCHD = "/usr/bin:/bin:/usr/sbin:/sbin";

it("a server on macOS finds Node, Homebrew and ~/.local where PATH has the system's folders alone", () => {
  const wanted = `/Users/ada/.nvm/versions/node/v22/bin:/opt/homebrew/bin:/usr/local/bin:/Users/ada/.local/bin:${LAUNCHD}`;
  expect(completeEnvironment({ PATH: LAUNCHD, HOME: "/Users/ada" }, {}, MAC).PATH).toBe(wanted);
  expect(completeEnvironment({}, { HOME: "/Users/ada" }, MAC).PATH).toBe(wanted);
  const inSystem = { ...MAC, execPath: "/usr/local/bin/node" };
  expect(completeEnvironment({ PATH: LAUNCHD }, {}, inSystem).PATH).toBe(`/usr/local/bin:/opt/homebrew/bin:${LAUNCHD}`);
});

it("a server keeps a PATH that a user has set, and on Linux the one of the system", () => {
  const chosen = { PATH: `/opt/own/bin:${LAUNCHD}` };
  expect(completeEnvironment(chosen, {}, MAC)).toEqual(chosen);
  const system = { PATH: LAUNCHD };
  expect(completeEnvironment(system, {}, { ...MAC, platform: "linux" })).toEqual(system);
});

it("a server in Python speaks UTF-8 on Windows unless the variable is set", () => {
  expect(completeEnvironment({}, {}, WINDOWS)).toEqual({ PYTHONUTF8: "1" });
  expect(completeEnvironment({}, { PYTHONUTF8: "0" }, WINDOWS)).toEqual({ PYTHONUTF8: "0" });
  expect(completeEnvironment({ PythonUtf8: "0" }, {}, WINDOWS)).toEqual({ PythonUtf8: "0" });
  expect(completeEnvironment({}, {}, { ...WINDOWS, platform: "linux" })).toEqual({});
});

it("a server on Windows finds what lies beside Node where PATH lacks its folder, after what a user has set", () => {
  const system = "C:\\Windows\\system32;";
  const find = (environment: Record<string, string>) => {
    const { PYTHONUTF8: _python, ...rest } = completeEnvironment(environment, {}, WINDOWS);
    return rest;
  };
  expect(find({ Path: system })).toEqual({ Path: "C:\\Windows\\system32;C:\\node" });
  for (const Path of [`${system}c:\\NODE\\`, '"C:\\node";C:\\x', "C:\\node"]) expect(find({ Path })).toEqual({ Path });
});
