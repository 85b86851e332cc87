import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../../../lib/contract/access";
import { toolsetInputSchema } from "../../../../lib/contract/toolset";
import type { ViewQuery } from "../../../engine/client-ports";
import { type PreparedToolset, prepareToolset } from "../../../engine/toolsets/prepare-toolset";
import { CatalogView } from "../catalog/catalog-view";
import { tool } from "../gateway.test-support";
import { contentScope, findUiServer, hasUi } from "./content-scope";

const ports = {
  serverNames: () => ["files", "mail"],
  aliasNames: () => new Map<string, string>(),
  tools: () =>
    ["files", "mail"].map((server) =>
      tool(
        `${server}__show`,
        { type: "mcp", server, tool: "show" },
        { _meta: { ui: { resourceUri: `ui://${server}` } } },
      ),
    ),
};
const WHOLE: ViewQuery = { server: null, plainNames: false, tools: null };

function buildView(
  query: Partial<ViewQuery>,
  limits: Partial<NonNullable<Principal["token"]>> | null = null,
): CatalogView {
  const token = limits === null ? null : { id: "t", scopes: ["run" as const], tools: null, servers: null, ...limits };
  return new CatalogView("key", { ...WHOLE, ...query }, { ...LOCAL_PRINCIPAL, token }, ports);
}

const listCallServers = (view: CatalogView): readonly string[] => contentScope(view, ports).servers;

/** `post` serves the resources and prompts of `mail`, though it has tools of `files`; `bare` serves none. */
const sets: Record<string, object> = {
  post: { name: "post", servers: ["files"], contents: ["mail", "gone"] },
  bare: { name: "bare", servers: ["files", "mail"] },
};
const toolset = (name: string): PreparedToolset | null =>
  sets[name] === undefined
    ? null
    : prepareToolset(
        { ...toolsetInputSchema.parse(sets[name]), createdAt: 0, updatedAt: 0 },
        {
          definitions: ports.tools(),
          aliasNames: ports.aliasNames,
          createFinder: () => ({ search: () => [] }),
        },
      );

it("serves of a toolset's address the servers that it names for resources and prompts, for every caller", () => {
  const serversAt = (name: string, limits: Parameters<typeof buildView>[1] = null): readonly string[] =>
    contentScope(buildView({ toolset: name }, limits), { ...ports, toolset }).servers;
  expect(serversAt("post")).toEqual(["mail"]);
  expect([serversAt("bare"), serversAt("deleted")]).toEqual([[], []]);
  expect(serversAt("post", { toolsets: ["post"] })).toEqual(["mail"]);
  expect(serversAt("post", { servers: ["files"] })).toEqual([]);
  expect(serversAt("post", { servers: ["mail"] })).toEqual(["mail"]);
  expect(serversAt("post", { tools: ["mail__show"] })).toEqual([]);
  expect(serversAt("post", { toolsets: ["bare"], servers: ["files"] })).toEqual([]);
  expect(serversAt("post", { groupToolsets: ["post"] })).toEqual(["mail"]);
  expect(serversAt("post", { groupToolsets: ["bare"] })).toEqual([]);
  expect(serversAt("post", { groupToolsets: ["post"], servers: ["files"] })).toEqual([]);
});

it("serves resources and prompts of the servers of an address, within the limits of the token", () => {
  expect(listCallServers(buildView({}))).toEqual(["files", "mail"]);
  expect(listCallServers(buildView({ server: "mail" }))).toEqual(["mail"]);
  expect(listCallServers(buildView({}, {}))).toEqual(["files", "mail"]);
  expect(listCallServers(buildView({}, { servers: ["mail"] }))).toEqual(["mail"]);
  expect(listCallServers(buildView({ server: "files" }, { servers: ["mail"] }))).toEqual([]);
  expect(listCallServers(buildView({}, { tools: ["files__show"] }))).toEqual([]);
  expect(listCallServers(buildView({}, { toolsets: ["set"] }))).toEqual([]);
  expect(listCallServers(buildView({}, { groupToolsets: ["post"], servers: ["mail"] }))).toEqual([]);
  expect(listCallServers(buildView({ tools: ["files__show"] }))).toEqual([]);
  expect(listCallServers(buildView({ toolset: "set" }))).toEqual([]);
});

it("finds the user interfaces of the tools that an address lists, and no other's", () => {
  const one = buildView({ tools: ["files__show"] });
  expect(findUiServer(one, "ui://files")).toEqual({ server: "files", uri: "ui://files" });
  expect(findUiServer(one, "ui://mail")).toBeNull();
  const limited = buildView({}, { tools: ["mail__show"] });
  expect(findUiServer(limited, "ui://mail")).toEqual({ server: "mail", uri: "ui://mail" });
  expect(findUiServer(limited, "ui://files")).toBeNull();
  expect([hasUi(limited), hasUi(buildView({ tools: [] }))]).toEqual([true, false]);
});

it("is the same object while nothing changes, so that what is worked out for it is kept", () => {
  const view = buildView({});
  expect(contentScope(view, ports)).toBe(contentScope(view, ports));
  expect(contentScope(view, { serverNames: () => ["files"] })).not.toBe(contentScope(view, ports));
});
