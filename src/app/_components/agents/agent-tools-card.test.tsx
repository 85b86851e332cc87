// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { AgentToolsCard } from "./agent-tools-card";

const PATH = "/mcp/toolroom";
const OFF = { enabled: false, served: false, path: PATH, setBy: "settings", problem: null };
const tool = (name: string, inCatalog: boolean) => ({
  name,
  description: "",
  operation: "executions.list",
  annotations: {},
  inCatalog,
});

it("switches the endpoint on, then leads to its configurations", async () => {
  let endpoint = OFF;
  const api = fakeApi({
    "agents.endpoint": () => endpoint,
    "agents.tools": () => [tool("what_failed", true)],
    "agents.setEndpoint": ({ enabled }: { enabled: boolean }) => {
      endpoint = { ...OFF, enabled, served: enabled };
      return endpoint;
    },
  });
  api.render(<AgentToolsCard />);
  fireEvent.click(await screen.findByRole("button", { name: `Switch on ${PATH}` }));
  await screen.findByRole("button", { name: `Switch off ${PATH}` });
  expect(screen.getByRole("link", { name: "Connect a client" }).getAttribute("href")).toBe(
    "/clients?server=toolroom#connect",
  );
});

it("has no switch where the environment decides, and says why an endpoint that is on is not served", async () => {
  const problem = "A server is named 'toolroom' and keeps the address /mcp/toolroom: rename the server";
  const api = fakeApi({
    "agents.endpoint": () => ({ ...OFF, enabled: true, setBy: "environment", problem }),
    "agents.tools": () => [tool("what_failed", false)],
  });
  api.render(<AgentToolsCard />);
  await screen.findByText(problem);
  expect(screen.queryByRole("button", { name: /Switch/ })).toBeNull();
  expect(screen.queryByRole("link", { name: "Connect a client" })).toBeNull();
});

it("adds the tools to the catalog while some are missing there", async () => {
  let inCatalog = false;
  const api = fakeApi({
    "agents.endpoint": () => OFF,
    "agents.tools": () => [tool("what_failed", inCatalog), tool("search_tools", true)],
    "agents.addTools": () => {
      inCatalog = true;
      return { added: ["what_failed"], present: ["search_tools"] };
    },
  });
  api.render(<AgentToolsCard />);
  const add = await screen.findByRole("button", { name: "Add to catalog" });
  fireEvent.click(add);
  await screen.findByText("All 2 are in the catalog, for the Playground and toolsets.");
  expect(add.hasAttribute("disabled")).toBe(true);
});
