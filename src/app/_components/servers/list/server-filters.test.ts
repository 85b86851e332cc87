import { describe, expect, it } from "vitest";
import { serverSummary } from "@/app/_components/servers/summary/server.test-support";
import { filterServers, SERVER_FILTERS, type ServerFilters } from "./servers-view";

const { isFiltered } = SERVER_FILTERS;
const none: ServerFilters = { q: "", state: null, transport: null, attention: false };
const servers = [
  serverSummary({ name: "files" }),
  serverSummary({
    name: "docs",
    transport: "http",
    target: "https://docs.example/mcp",
    state: { status: "sign_in_needed" },
  }),
  serverSummary({ name: "off", enabled: false, state: { status: "disabled" } }),
  serverSummary({ name: "weather", title: "Weather desk", state: { status: "failed", reason: "exit code 1" } }),
];
const names = (part: Partial<ServerFilters>) => filterServers(servers, { ...none, ...part }).map(({ name }) => name);

describe("the filters of the server list", () => {
  it("show everything, by name, when nothing is asked for", () => {
    expect(names({})).toEqual(["docs", "files", "off", "weather"]);
    expect(isFiltered(none)).toBe(false);
  });

  it("search every word in name, title, target and the server's own name", () => {
    expect(names({ q: "docs MCP" })).toEqual(["docs"]);
    expect(names({ q: "desk" })).toEqual(["weather"]);
    expect(names({ q: "docs desk" })).toEqual([]);
  });

  it("narrow by state and transport together", () => {
    expect(names({ state: "failed" })).toEqual(["weather"]);
    expect(names({ state: "failed", transport: "http" })).toEqual([]);
  });

  it("count as needing attention what should work and does not, and nothing that is switched off", () => {
    expect(names({ attention: true })).toEqual(["docs", "weather"]);
    expect(isFiltered({ ...none, attention: true })).toBe(true);
  });
});
