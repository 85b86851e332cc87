import { describe, expect, it } from "vitest";
import type { ConnectionStatus, ServerSummary } from "../../../lib/contract/server";
import type { ServerFilter } from "../../../lib/contract/server-list";
import { describeServers, filterServers, pageServers } from "./server-list";

function summarize(name: string, part: Partial<ServerSummary> = {}, status: ConnectionStatus = "connected") {
  const state = { status, reason: null, peer: null };
  const counts = { toolCount: 1, heldCount: 0, appliedCount: 0, lastChange: null };
  return {
    name,
    title: null,
    transport: "stdio",
    target: "npx server",
    enabled: true,
    credentials: "shared",
    state,
    ...counts,
    ...part,
  } as unknown as ServerSummary;
}

const SERVERS = [
  summarize("files"),
  summarize("docs", { transport: "http", target: "https://docs.example/mcp" }, "sign_in_needed"),
  summarize("off", { enabled: false }, "disabled"),
  summarize("weather", { title: "Weather desk" }, "failed"),
];
const find = (filter: ServerFilter) => filterServers(SERVERS, filter).map(({ name }) => name);

describe("the list of servers", () => {
  it("has all of them by name where nothing is asked for", () => {
    expect(find({})).toEqual(["docs", "files", "off", "weather"]);
  });

  it("has those with every word of the search in name, title, target or the server's own name", () => {
    expect(find({ q: "docs MCP" })).toEqual(["docs"]);
    expect(find({ q: "desk" })).toEqual(["weather"]);
    expect(find({ q: "docs desk" })).toEqual([]);
  });

  it("is narrowed by state and transport together", () => {
    expect(find({ state: "failed" })).toEqual(["weather"]);
    expect(find({ state: "failed", transport: "http" })).toEqual([]);
  });

  it("counts as needing attention what should work and does not, and nothing that is switched off", () => {
    expect(find({ attention: true })).toEqual(["docs", "weather"]);
  });

  it("has every server once over its pages, and says of all how many there are", () => {
    const many = Array.from({ length: 23 }, (_, at) => summarize(`server-${at}`, { heldCount: at === 22 ? 1 : 0 }));
    const names: string[] = [];
    let cursor: string | undefined;
    do {
      const page = pageServers(many, { filter: {}, cursor, limit: 5 });
      expect([page.matching, page.total, page.attention, page.changed]).toEqual([23, 23, 0, true]);
      names.push(...page.items.map(({ name }) => name));
      cursor = page.nextCursor ?? undefined;
    } while (cursor !== undefined);
    expect(names).toEqual(many.map(({ name }) => name));
  });

  it("keeps its place where a server is removed between two pages", () => {
    const first = pageServers(SERVERS, { filter: {}, limit: 2 });
    const rest = SERVERS.filter(({ name }) => name !== first.items.at(-1)?.name);
    const next = pageServers(rest, { filter: {}, cursor: first.nextCursor ?? undefined, limit: 2 });
    expect(next.items.map(({ name }) => name)).toEqual(["off", "weather"]);
  });
});

describe("what Overview says of servers", () => {
  it("names the first that need attention, counts all, and has undecided changes before newer ones", () => {
    const broken = Array.from({ length: 7 }, (_, at) => summarize(`broken-${at}`, { toolCount: 0 }, "failed"));
    const change = (at: number) => ({ at, breaking: 0, other: 1 });
    const changed = [
      summarize("old", { lastChange: change(1), heldCount: 2 }),
      summarize("new", { lastChange: change(9) }),
    ];
    const overview = describeServers([...broken, ...changed]);
    expect([overview.attention.items.length, overview.attention.count]).toEqual([5, 7]);
    expect(overview.changed.map(({ name }) => name)).toEqual(["old", "new"]);
    expect(overview.sample?.name).toBe("old");
    expect(describeServers(broken).sample?.name).toBe("broken-0");
    expect(describeServers([]).sample).toBeNull();
  });
});
