import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../../../lib/contract/access";
import { toolsetInputSchema } from "../../../../lib/contract/toolset";
import { type PreparedToolset, prepareToolset } from "../../../engine/toolsets/prepare-toolset";
import { contentScope } from "../content/content-scope";
import { tool } from "../gateway.test-support";
import type { GatewayPorts } from "../gateway-ports";
import { CatalogView } from "./catalog-view";
import { CatalogViews } from "./catalog-views";

/** A toolset with the one tool `echo`; `mail` has the resources and prompts of `files` as well. */
function mailToolset(name: string): PreparedToolset {
  const echo = tool("echo", { type: "builtin", handler: "echo" });
  const toolset = {
    ...toolsetInputSchema.parse({ name, tools: ["echo"], contents: name === "mail" ? ["files"] : [] }),
    createdAt: 0,
    updatedAt: 0,
  };
  const createFinder = () => ({ search: () => [] });
  return prepareToolset(toolset, { definitions: [echo], aliasNames: () => new Map(), createFinder });
}

function openViews() {
  const servers = new Set(["files"]);
  const toolset = (name: string): PreparedToolset | null => (name === "gone" ? null : mailToolset(name));
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const ports = { tools: () => [], aliasNames: () => new Map(), serverNames: () => [...servers], logger, toolset };
  return {
    servers,
    ports: ports as unknown as GatewayPorts,
    views: new CatalogViews(ports as unknown as GatewayPorts),
  };
}

it("an address means the same view at every request, until its server is removed", () => {
  const { servers, views } = openViews();
  const view = views.at("/mcp/files?names=plain", LOCAL_PRINCIPAL);
  expect(view).toBeInstanceOf(CatalogView);
  expect(views.at("/mcp/files?names=plain", LOCAL_PRINCIPAL)).toBe(view);
  servers.delete("files");
  expect(views.at("/mcp/files?names=plain", LOCAL_PRINCIPAL)).toMatchObject({ status: 404 });
});

it("a caller gets no view of another one, and a view has the rights of the latest request", () => {
  const { views } = openViews();
  const ada = { ...LOCAL_PRINCIPAL, id: "ada" };
  const own = views.at("/mcp", ada);
  expect(views.at("/mcp", { ...LOCAL_PRINCIPAL, id: "bob" })).not.toBe(own);
  const demoted = { ...ada, role: "viewer" as const };
  expect(views.at("/mcp", demoted)).toBe(own);
  expect(own).toMatchObject({ principal: demoted });
});

it("a view that was evicted is not served again, since it hears of no changes", () => {
  const { views } = openViews();
  const first = views.at("/mcp", LOCAL_PRINCIPAL);
  for (let index = 0; index < 199; index += 1) views.at(`/mcp?tools=t${index}`, LOCAL_PRINCIPAL);
  expect(views.at("/mcp", LOCAL_PRINCIPAL)).toBe(first);
  for (let index = 0; index < 200; index += 1) views.at(`/mcp?tools=u${index}`, LOCAL_PRINCIPAL);
  const again = views.at("/mcp", LOCAL_PRINCIPAL);
  expect(again).not.toBe(first);
  expect([...views.all()]).toContain(again);
});

it("a token for a toolset gets all of it there, and nothing anywhere else", () => {
  const { views } = openViews();
  const limits = { id: "t", scopes: ["run" as const], tools: null, servers: null, toolsets: ["mail"] };
  const principal = { ...LOCAL_PRINCIPAL, id: "ada", token: limits };
  const namesAt = (address: string) => {
    const view = views.at(address, principal);
    return view instanceof CatalogView ? view.page(null).tools.map(({ name }) => name) : view;
  };
  expect(namesAt("/mcp/sets/mail")).toEqual(["echo"]);
  expect(namesAt("/mcp/sets/other")).toMatchObject({ status: 403, message: expect.stringContaining("mail") });
  expect(namesAt("/mcp/sets/gone")).toMatchObject({ status: 404 });
  expect(namesAt("/mcp")).toEqual([]);
});

it("a toolset serves resources and prompts of the servers that it names, and of no others", () => {
  const { views, ports } = openViews();
  const serversAt = (address: string, limits: object = {}) => {
    const token = { id: JSON.stringify(limits), scopes: ["run" as const], tools: null, servers: null, ...limits };
    const view = views.at(address, { ...LOCAL_PRINCIPAL, id: "ada", token });
    return view instanceof CatalogView ? contentScope(view, ports).servers : null;
  };
  expect([serversAt("/mcp"), serversAt("/mcp/sets/mail"), serversAt("/mcp/sets/other")]).toEqual([
    ["files"],
    ["files"],
    [],
  ]);
  expect(serversAt("/mcp/sets/mail", { toolsets: ["mail"] })).toEqual(["files"]);
  expect(serversAt("/mcp/sets/mail", { tools: ["echo"] })).toEqual([]);
  expect(serversAt("/mcp/sets/mail?tools=echo")).toEqual([]);
});
