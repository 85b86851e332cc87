import { describe, expect, it } from "vitest";
import { isCurrent } from "@/app/_kit/navigation";
import { DEFAULT_PREFERENCES, parsePreferences, serializePreferences } from "@/app/_kit/preferences";
import { type KeyPress, NO_SHORTCUT, nextShortcut } from "@/app/_kit/shortcuts";
import { buildBreadcrumbTrail } from "./breadcrumb-trail";
import { type PaletteCommand, rankCommands, scoreMatch } from "./palette-commands";

const labels = (path: string) => buildBreadcrumbTrail(path).map(({ label, href }) => [label, href]);

describe("buildBreadcrumbTrail", () => {
  it("names pages in words and shows names and ids as they are, decoded", () => {
    expect(labels("/")).toEqual([["Overview", null]]);
    expect(labels("/tools/new")).toEqual([
      ["Tools", "/tools"],
      ["New tool", null],
    ]);
    expect(labels("/tools/files%5F_read")).toEqual([
      ["Tools", "/tools"],
      ["files__read", null],
    ]);
    expect(buildBreadcrumbTrail("/executions/exec_1").at(-1)?.mono).toBe(true);
  });

  it("names the tool that is edited, under a link to it, although its form has the address of a new one", () => {
    expect(buildBreadcrumbTrail("/tools/new", "get weather").map(({ label, href }) => [label, href])).toEqual([
      ["Tools", "/tools"],
      ["get weather", "/tools/get%20weather"],
      ["Edit", null],
    ]);
    expect(buildBreadcrumbTrail("/tools/new", "").at(-1)?.label).toBe("New tool");
  });

  it("puts a page where it belongs although its address does not say so", () => {
    expect(labels("/compare")).toEqual([
      ["Executions", "/executions"],
      ["Compare", null],
    ]);
  });

  it("leaves out parts of an address that are no page", () => {
    expect(labels("/settings/models/checks/check_1")).toEqual([
      ["Settings", "/settings"],
      ["Models", "/settings/models"],
      ["check_1", null],
    ]);
  });

  it("takes a tool called like a page or a property for what it is, and survives a broken address", () => {
    expect(labels("/tools/settings").at(-1)).toEqual(["settings", null]);
    expect(labels("/tools/constructor").at(-1)).toEqual(["constructor", null]);
    expect(labels("/tools/%E0%A4%A").at(-1)).toEqual(["%E0%A4%A", null]);
  });
});

describe("isCurrent", () => {
  it("marks one destination: the overview only on its own address, the others also beneath theirs", () => {
    expect(isCurrent("/", "/tools")).toBe(false);
    expect(isCurrent("/tools", "/tools/get_weather")).toBe(true);
    expect(isCurrent("/tools", "/toolsmith")).toBe(false);
  });
});

describe("preferences", () => {
  it("survive the cookie", () => {
    const chosen = { theme: "dark", rail: "closed", keys: "off" } as const;
    expect(parsePreferences(serializePreferences(chosen))).toEqual(chosen);
  });

  it("fall back piece by piece when the cookie is missing or made up", () => {
    expect(parsePreferences(undefined)).toEqual(DEFAULT_PREFERENCES);
    expect(parsePreferences('dark"><script>.closed')).toEqual({ ...DEFAULT_PREFERENCES, rail: "closed" });
  });
});

describe("nextShortcut", () => {
  const press = (key: string, timeStamp = 0, more: Partial<KeyPress> = {}): KeyPress => ({
    key,
    timeStamp,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    ...more,
  });
  const free = { singleKeys: true, typing: false };

  it("goes to a page on g and its letter, and only in that order and in time", () => {
    const { state, command } = nextShortcut(NO_SHORTCUT, press("g", 100), free);
    expect(command).toBeNull();
    expect(nextShortcut(state, press("t", 600), free).command).toEqual({ kind: "go", href: "/tools" });
    expect(["p", "r", "a"].map((key) => nextShortcut(state, press(key, 600), free).command)).toEqual([
      { kind: "go", href: "/playground" },
      { kind: "go", href: "/runs" },
      { kind: "go", href: "/approvals" },
    ]);
    expect(nextShortcut(state, press("t", 5_000), free).command).toBeNull();
    expect(nextShortcut(NO_SHORTCUT, press("t", 600), free).command).toBeNull();
    expect(nextShortcut(state, press("x", 600), free).state).toEqual(NO_SHORTCUT);
  });

  it("ignores single keys while a person types or has switched them off, but always opens the palette", () => {
    for (const options of [
      { singleKeys: true, typing: true },
      { singleKeys: false, typing: false },
    ]) {
      expect(nextShortcut(NO_SHORTCUT, press("?"), options).command).toBeNull();
      expect(nextShortcut(NO_SHORTCUT, press("g"), options).state).toEqual(NO_SHORTCUT);
      expect(nextShortcut(NO_SHORTCUT, press("k", 0, { ctrlKey: true }), options).command).toEqual({ kind: "palette" });
      expect(nextShortcut(NO_SHORTCUT, press("K", 0, { metaKey: true }), options).command).toEqual({ kind: "palette" });
    }
    expect(nextShortcut(NO_SHORTCUT, press("?"), free).command).toEqual({ kind: "help" });
  });
});

describe("the palette", () => {
  const command = (label: string, group: PaletteCommand["group"], keywords = ""): PaletteCommand => ({
    id: label,
    group,
    label,
    keywords,
    run: () => undefined,
  });
  const all = [
    command("get_weather", "Tools", "forecast of a city"),
    command("weather_alerts", "Tools"),
    command("Tools", "Go to"),
    command("New tool", "Actions", "create"),
  ];
  const shown = (search: string) =>
    rankCommands(all, search).flatMap((ranked) => ranked.commands.map(({ label }) => label));

  it("puts what begins with the search before what contains it", () => {
    expect(shown("weather")).toEqual(["weather_alerts", "get_weather"]);
  });

  it("finds by keyword, by several words, and by letters in order", () => {
    expect(shown("city forecast")).toEqual(["get_weather"]);
    expect(shown("gtwthr")).toEqual(["get_weather"]);
    expect(shown("zzz")).toEqual([]);
    expect(scoreMatch(command("a", "Actions"), "  ")).toBeGreaterThan(0);
  });

  it("shows everything without a search, groups in order", () => {
    expect(shown("")).toEqual(["New tool", "Tools", "get_weather", "weather_alerts"]);
  });
});
