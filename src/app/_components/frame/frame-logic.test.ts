import { describe, expect, it } from "vitest";
import { buildBreadcrumbTrail, isCurrent } from "@/app/_kit/navigation";
import { DEFAULT_PREFERENCES, parsePreferences, serializePreferences } from "@/app/_kit/preferences";
import { type KeyPress, NO_SHORTCUT, nextShortcut } from "@/app/_kit/shortcuts";
import { type PaletteCommand, rankCommands } from "./palette-commands";

const labels = (path: string) => buildBreadcrumbTrail(path).map(({ label, href }) => [label, href]);

describe("buildBreadcrumbTrail", () => {
  it("leads from a page to those above it, in words, and leaves the page's own name to its heading", () => {
    for (const path of ["/", "/tools", "/settings", "/settings/models"]) expect(labels(path)).toEqual([]);
    expect(labels("/tools/new")).toEqual([["Tools", "/tools"]]);
    expect(labels("/tools/files%5F_read")).toEqual([["Tools", "/tools"]]);
    expect(labels("/approvals/rules/spend")).toEqual([
      ["Approvals", "/approvals"],
      ["Rules", "/approvals/rules"],
    ]);
  });

  it("shows names as they are, decoded, also of a tool whose form has the address of a new one", () => {
    expect(buildBreadcrumbTrail("/tools/new", "get weather")).toEqual([
      { label: "Tools", href: "/tools", mono: false },
      { label: "get weather", href: "/tools/get%20weather", mono: true },
    ]);
    expect(buildBreadcrumbTrail("/tools/new", "")).toHaveLength(1);
  });

  it("puts a page where it belongs although its address does not say so", () => {
    expect(labels("/compare")).toEqual([["Executions", "/executions"]]);
  });

  it("leaves out parts of an address that are no page", () => {
    expect(labels("/suites/runs/trun_1")).toEqual([["Suites", "/suites"]]);
    expect(labels("/suites/sums")).toEqual([["Suites", "/suites"]]);
    expect(labels("/oauth/connect/link-1")).toEqual([]);
  });

  it("takes a server called like a page or a property for what it is, and survives a broken address", () => {
    expect(labels("/servers/settings/edit").at(-1)).toEqual(["settings", "/servers/settings"]);
    expect(labels("/servers/constructor/edit").at(-1)).toEqual(["constructor", "/servers/constructor"]);
    expect(labels("/servers/%E0%A4%A/edit").at(-1)).toEqual(["%E0%A4%A", "/servers/%E0%A4%A"]);
  });
});

describe("isCurrent", () => {
  it("marks one destination: the overview only on its own address, the others also beneath theirs", () => {
    expect(isCurrent({ href: "/" }, "/tools")).toBe(false);
    expect(isCurrent({ href: "/tools" }, "/tools/get_weather")).toBe(true);
    expect(isCurrent({ href: "/tools" }, "/toolsmith")).toBe(false);
    expect(isCurrent({ href: "/playground", also: ["/runs"] }, "/runs/run_1")).toBe(true);
  });
});

describe("preferences", () => {
  it("survive the cookie", () => {
    const chosen = {
      ...({ theme: "dark", rail: "closed", keys: "off", panel: "closed" } as const),
      columns: ["tools-quality"],
      panes: { tool: 60, drawer: 30 },
    } as const;
    expect(parsePreferences(serializePreferences(chosen))).toEqual(chosen);
  });

  it("fall back piece by piece when the cookie is missing or made up", () => {
    expect(parsePreferences(undefined)).toEqual(DEFAULT_PREFERENCES);
    expect(parsePreferences("dark.open.on.open.tools-quality~<b>~a")).toMatchObject({
      columns: ["tools-quality", "a"],
    });
    expect(parsePreferences("dark.open.on.open..tool-60~drawer-1e3~other-30~playground-30").panes).toEqual({
      tool: 60,
      playground: 30,
    });
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
    expect(["p", "a"].map((key) => nextShortcut(state, press(key, 600), free).command)).toEqual([
      { kind: "go", href: "/playground" },
      { kind: "go", href: "/approvals" },
    ]);
    expect(nextShortcut(state, press("t", 5_000), free).command).toBeNull();
    expect(nextShortcut(NO_SHORTCUT, press("t", 600), free).command).toBeNull();
    expect(nextShortcut(state, press("x", 600), free).state).toEqual(NO_SHORTCUT);
  });

  it("ignores single keys while a user types or has switched them off, but always opens the palette", () => {
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
    expect(shown("  ")).toHaveLength(all.length);
  });

  it("shows everything without a search, groups in order", () => {
    expect(shown("")).toEqual(["New tool", "Tools", "get_weather", "weather_alerts"]);
  });
});
