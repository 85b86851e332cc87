import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL, type Principal } from "../../lib/contract";
import { CatalogueView, type ViewQuery } from "./catalogue-view";
import { contentScope, findUiServer, hasUi } from "./content-scope";
import { tool } from "./gateway.test-support";

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

function viewOf(
  query: Partial<ViewQuery>,
  limits: Partial<NonNullable<Principal["token"]>> | null = null,
): CatalogueView {
  const token = limits === null ? null : { id: "t", scopes: ["run" as const], tools: null, servers: null, ...limits };
  return new CatalogueView("key", { ...WHOLE, ...query }, { ...LOCAL_PRINCIPAL, token }, ports);
}

const serversOf = (view: CatalogueView): readonly string[] => contentScope(view, ports).servers;

it("serves resources and prompts of the servers of an address, within the limits of the token", () => {
  expect(serversOf(viewOf({}))).toEqual(["files", "mail"]);
  expect(serversOf(viewOf({ server: "mail" }))).toEqual(["mail"]);
  expect(serversOf(viewOf({}, {}))).toEqual(["files", "mail"]);
  expect(serversOf(viewOf({}, { servers: ["mail"] }))).toEqual(["mail"]);
  expect(serversOf(viewOf({ server: "files" }, { servers: ["mail"] }))).toEqual([]);
  expect(serversOf(viewOf({}, { tools: ["files__show"] }))).toEqual([]);
  expect(serversOf(viewOf({}, { toolsets: ["set"] }))).toEqual([]);
  expect(serversOf(viewOf({ tools: ["files__show"] }))).toEqual([]);
  expect(serversOf(viewOf({ toolset: "set" }))).toEqual([]);
});

it("finds the user interfaces of the tools that an address lists, and no other's", () => {
  const one = viewOf({ tools: ["files__show"] });
  expect(findUiServer(one, "ui://files")).toEqual({ server: "files", uri: "ui://files" });
  expect(findUiServer(one, "ui://mail")).toBeNull();
  const limited = viewOf({}, { tools: ["mail__show"] });
  expect(findUiServer(limited, "ui://mail")).toEqual({ server: "mail", uri: "ui://mail" });
  expect(findUiServer(limited, "ui://files")).toBeNull();
  expect([hasUi(limited), hasUi(viewOf({ tools: [] }))]).toEqual([true, false]);
});

it("is the same object while nothing changes, so that what is worked out for it is kept", () => {
  const view = viewOf({});
  expect(contentScope(view, ports)).toBe(contentScope(view, ports));
  expect(contentScope(view, { serverNames: () => ["files"] })).not.toBe(contentScope(view, ports));
});
