// @vitest-environment happy-dom
import { afterEach, describe, expect, it } from "vitest";
import { getBasePath, getConsoleAddress, toAddress, toOwnPath, toStorageName } from "./base-path";

afterEach(() => {
  delete document.documentElement.dataset.basePath;
});

describe("a path that the document names", () => {
  it("begins every address, and is no part of a path of the server", () => {
    document.documentElement.dataset.basePath = "/toolroom";
    expect(toAddress("/api/trpc")).toBe("/toolroom/api/trpc");
    expect(getConsoleAddress()).toBe(`${window.location.origin}/toolroom`);
    expect(["/toolroom", "/toolroom/", "/toolroom/tools", "/tools", "/toolroom2"].map(toOwnPath)).toEqual([
      "/",
      "/",
      "/tools",
      "/tools",
      "/toolroom2",
    ]);
  });

  it("keeps the stored values of two Toolrooms on one host apart", () => {
    const names = ["", "/a", "/a/b", "/a.b"].map((basePath) => {
      document.documentElement.dataset.basePath = basePath;
      return toStorageName("toolroom_preferences");
    });
    expect(new Set(names).size).toBe(names.length);
    expect(names[0]).toBe("toolroom_preferences");
    for (const name of names) expect(name).toMatch(/^[\w.%-]+$/);
  });

  it("is empty where it names none", () => {
    expect(getBasePath()).toBe("");
    expect(toAddress("/tools")).toBe("/tools");
    expect(toOwnPath("/tools")).toBe("/tools");
  });
});
