import { expect, it } from "vitest";
import { expandVariables } from "../../../lib/server-settings/expand-variables";
import { toSystemVariables } from "./system-variables";

const OWN = { SystemRoot: "C:\\Windows", Path: "C:\\bin", USERPROFILE: "C:\\Users\\ada", token: "a", TOKEN: "b" };
const ref = (name: string): string => `\${${name}}`;

it("finds variables on Windows in any case, the exact name first, and HOME as the user's folder", () => {
  const variables = toSystemVariables(OWN, "win32");
  const expand = (name: string) => expandVariables(ref(name), variables);
  expect(expand("SYSTEMROOT").text).toBe("C:\\Windows");
  expect(expand("PATH").text).toBe("C:\\bin");
  expect(expand("token").text).toBe("a");
  expect(expand("TOKEN").text).toBe("b");
  expect(expand("HOME").text).toBe("C:\\Users\\ada");
  expect(expand("home").text).toBe("C:\\Users\\ada");
  expect(expand("NONE").missing).toEqual(["NONE"]);
  expect(expand("__proto__").missing).toEqual(["__proto__"]);
  expect(variables.SYSTEMROOT).toBe("C:\\Windows");
});

it("lists each variable on Windows once, as it is spelled, and takes HOME as it is set", () => {
  expect(Object.entries(toSystemVariables(OWN, "win32"))).toEqual(Object.entries(OWN));
  const variables = toSystemVariables({ Home: "D:\\ada", USERPROFILE: "C:\\Users\\ada" }, "win32");
  expect(expandVariables(ref("HOME"), variables).text).toBe("D:\\ada");
});

it.each(["linux", "darwin"] as const)("keeps names exact on %s", (platform) => {
  expect(expandVariables(ref("PATH"), toSystemVariables(OWN, platform)).missing).toEqual(["PATH"]);
});
