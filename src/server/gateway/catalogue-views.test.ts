import { expect, it } from "vitest";
import { LOCAL_PRINCIPAL } from "../../lib/contract";
import { CatalogueView } from "./catalogue-view";
import { CatalogueViews } from "./catalogue-views";
import type { GatewayPorts } from "./gateway-ports";

function openViews() {
  const servers = new Set(["files"]);
  const logger = { debug() {}, info() {}, warn() {}, error() {} };
  const ports = { tools: () => [], aliasNames: () => new Map(), serverNames: () => [...servers], logger };
  return { servers, views: new CatalogueViews(ports as unknown as GatewayPorts) };
}

it("an address means the same view at every request, until its server is removed", () => {
  const { servers, views } = openViews();
  const view = views.at("/mcp/files?names=plain", LOCAL_PRINCIPAL);
  expect(view).toBeInstanceOf(CatalogueView);
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
