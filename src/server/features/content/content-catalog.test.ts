import { expect, it, vi } from "vitest";
import { DISABLED_CONNECTION } from "../../../lib/contract/server";
import { keepText, toJsonText } from "../../../lib/json/known-text";
import { silentLogger, systemClock } from "../../create-tool-engine";
import type { ContentList, ServerContent } from "../../engine/mcp-ports";
import { ContentCatalog } from "./content-catalog";
import type { ContentScope } from "./content-ports";

type Lists = Partial<Record<ContentList, Record<string, unknown>[]>>;

/** A catalog over servers that answer with these lists; null for one that never answers, an error for one that is down. */
function buildCatalog(servers: Record<string, Lists | null | Error>) {
  const reads: string[] = [];
  const content = (server: string): ServerContent =>
    ({
      list: (list: ContentList) => {
        reads.push(`${server} ${list}`);
        const lists = servers[server];
        if (lists === null) return new Promise(() => {});
        return lists instanceof Error ? Promise.reject(lists) : Promise.resolve(lists?.[list] ?? []);
      },
    }) as unknown as ServerContent;
  const catalog = new ContentCatalog({
    connections: {
      content: (server, work) => work(content(server)),
      capabilities: () => ({ resources: {}, prompts: {} }),
      state: () => ({ ...DISABLED_CONNECTION, status: "connected" }),
    },
    settings: () => null,
    tools: () => [],
    execute: () => Promise.reject(new Error("runs nothing")),
    maxStoredBytes: 1000,
    clock: systemClock,
    logger: silentLogger,
  });
  return { catalog, reads };
}

const scopeOf = (...servers: string[]): ContentScope => ({
  actor: { id: "ada" },
  servers,
  own: false,
  plainNames: false,
});

it("leaves out entries that no client could name, that repeat another, or that are too large", async () => {
  const names = ["good", "good", "", "bell\u0007", "x".repeat(300), 7, null, "__proto__"];
  const resources = [
    ...names.map((uri) => ({ uri, name: "n" })),
    { uri: "large", description: "y".repeat(70_000) },
    { uri: "z".repeat(9000) },
  ];
  const { catalog } = buildCatalog({ a: { resources, prompts: names.map((name) => ({ name })) } });
  const uris = (await catalog.list(scopeOf("a"), "resources")).map(({ uri }) => uri);
  expect(uris).toEqual(["__proto__", "good", "x".repeat(300)]);
  const prompts = (await catalog.list(scopeOf("a"), "prompts")).map(({ name }) => name);
  expect(prompts).toEqual(["a__good", "a____proto__"]);
  expect(await catalog.resolve(scopeOf("a"), "__proto__")).toEqual({ server: "a", uri: "__proto__" });
});

it("bounds a list by its size", async () => {
  const resources = Array.from({ length: 400 }, (_, at) => ({ uri: `u://${at}`, description: "y".repeat(60_000) }));
  const { catalog } = buildCatalog({ a: { resources } });
  expect((await catalog.list(scopeOf("a"), "resources")).length).toBeLessThan(150);
});

it("lists what other servers have while one is down and one never answers", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const timeout = vi.spyOn(AbortSignal, "timeout").mockImplementation((ms) => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error("late")), ms);
    return controller.signal;
  });
  try {
    const { catalog } = buildCatalog({ a: { prompts: [{ name: "p" }] }, down: new Error("gone"), silent: null });
    const listing = catalog.list(scopeOf("a", "down", "silent"), "prompts");
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await listing).toEqual([{ name: "a__p" }]);
  } finally {
    timeout.mockRestore();
    vi.useRealTimers();
  }
});

it("asks each server once for clients that list at the same time, and again after a change", async () => {
  const { catalog, reads } = buildCatalog({ a: { prompts: [{ name: "p" }] } });
  const scope = scopeOf("a");
  await Promise.all([catalog.list(scope, "prompts"), catalog.list(scope, "prompts")]);
  await catalog.list(scope, "prompts");
  expect(reads).toEqual(["a prompts"]);
  catalog.lists.forget("a", "prompts");
  await catalog.list(scope, "prompts");
  expect(reads).toHaveLength(2);
});

it("maps a URI once a second server lists it, and serves a link of one caller to no other", async () => {
  const lists: Record<string, Lists> = { a: { resources: [{ uri: "x://1" }] }, b: {} };
  const { catalog } = buildCatalog(lists);
  const scope = scopeOf("a", "b");
  expect(await catalog.list(scope, "resources")).toEqual([{ uri: "x://1" }]);
  lists.b = { resources: [{ uri: "x://1" }] };
  catalog.lists.forget("b", "resources");
  const uris = (await catalog.list(scope, "resources")).map(({ uri }) => uri);
  expect(uris).toEqual(["toolroom://a/x://1", "toolroom://b/x://1"]);
  expect(await catalog.resolve(scope, "x://1")).toEqual({ ambiguous: uris });
  expect(await catalog.resolve(scope, "toolroom://c/x://1")).toBeNull();

  const link = { content: [{ type: "resource_link", uri: "x://link", name: "l" }] };
  expect(catalog.mapResult(scope, "b", link)).toBe(link);
  expect(await catalog.resolve(scope, "x://link")).toEqual({ server: "b", uri: "x://link" });
  expect(await catalog.resolve({ ...scope, actor: { id: "bob" } }, "x://link")).toBeNull();
  expect(await catalog.resolve(scopeOf("a"), "x://link")).toEqual({ server: "a", uri: "x://link" });
  expect(catalog.mapResult(scope, "a", link)).toEqual({
    content: [{ type: "resource_link", uri: "toolroom://a/x://link", name: "l" }],
  });
  const text = `{"structuredContent":{"n":1.0},"content":${JSON.stringify(link.content)}}`;
  const kept = JSON.parse(text) as Record<string, unknown>;
  keepText(kept, text);
  expect(toJsonText(catalog.mapResult(scope, "a", kept))).toBe(text.replace("x://link", "toolroom://a/x://link"));
});
