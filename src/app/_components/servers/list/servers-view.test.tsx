// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { serverSummary } from "@/app/_components/servers/summary/server.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ServerSummary } from "@/lib/contract/server";
import { ServersAttention } from "./servers-attention";
import { ServersView } from "./servers-view";

const FILES = serverSummary({ name: "files" });
const DOCS = serverSummary({
  name: "docs",
  transport: "http",
  target: "https://docs.example/mcp",
  auth: "oauth",
  state: { status: "sign_in_needed", reason: "The server wants a token" },
});
const SLOW = serverSummary({
  name: "slow",
  state: { status: "disconnected", reason: "exit code 1", nextAttemptAt: Date.now() + 60_000, attempts: 3 },
});

function consoleWith(servers: ServerSummary[], search = ""): FakeApi {
  const items = [...servers];
  return fakeApi(
    {
      "servers.list": () => ({ items: [...items], problems: [] }),
      "servers.setEnabled": ({ name, enabled }: { name: string; enabled: boolean }) => {
        const at = items.findIndex((server) => server.name === name);
        items[at] = {
          ...(items[at] ?? FILES),
          enabled,
          state: { ...FILES.state, status: enabled ? "connecting" : "disabled" },
        };
        return items[at];
      },
      "servers.reconnect": ({ name }: { name: string }) => {
        throw new Error(`${name} did not answer`);
      },
      "servers.startSignIn": () => ({ url: "javascript:alert(1)" }),
      "servers.delete": ({ name }: { name: string }) => {
        items.splice(
          items.findIndex((server) => server.name === name),
          1,
        );
        return { id: "server_1" };
      },
      "servers.restore": () => {
        items.push(FILES);
        return FILES;
      },
    },
    search,
  );
}

const rowOf = (name: string): HTMLElement => {
  const group = screen.getByRole("link", { name }).closest("tbody");
  if (group === null) throw new Error(`no row of ${name}`);
  return group;
};
const calls = (api: FakeApi, path: string) => api.calls.filter((call) => call.path === path);

describe("the list of servers", () => {
  it("shows state, target and why a server needs attention, and axe finds nothing", async () => {
    const { container } = consoleWith([FILES, DOCS, SLOW]).render(<ServersView />);
    await screen.findByRole("table");
    expect(rowOf("files").querySelector("[data-status]")?.getAttribute("data-status")).toBe("connected");
    expect(rowOf("files").textContent).toContain(FILES.target);
    expect(within(rowOf("docs")).getByText("The server wants a token")).toBeTruthy();
    expect(rowOf("slow").textContent).toMatch(/next try in (1 min( \d s)?|5\d s) · 3 attempts/);
    expect(screen.getByText("3 servers · 2 need attention")).toBeTruthy();
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it("narrows by what the address asks for, and offers the way back", async () => {
    const api = consoleWith([FILES, DOCS], "?state=failed");
    api.render(<ServersView />);
    await screen.findByText("No matching servers");
    fireEvent.click(screen.getAllByRole("button", { name: "Clear filters" })[0] as HTMLElement);
    await screen.findByRole("link", { name: "docs" });
  });

  it("reads the list again when a server's state changed, wherever that was", async () => {
    const servers = [FILES];
    const api = fakeApi({ "servers.list": () => ({ items: [...servers], problems: [] }) });
    api.render(<ServersView />);
    await screen.findByText("connected", { selector: "td:first-child span" });
    servers[0] = serverSummary({ state: { status: "failed", reason: "no such program" } });
    act(() => api.emit({ type: "servers", server: "files" }));
    await screen.findByText("no such program");
  });

  it("keeps the reason on screen when an attempt is refused", async () => {
    const api = consoleWith([SLOW]);
    api.render(<ServersView />);
    fireEvent.click(await screen.findByRole("button", { name: "Try now to connect slow" }));
    await screen.findByText("Couldn't reconnect slow: slow did not answer");
    fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    await waitFor(() => expect(screen.queryByText(/Couldn't reconnect/)).toBeNull());
  });

  it("never sends the browser to a sign-in address that is no web page", async () => {
    const api = consoleWith([DOCS]);
    const before = window.location.href;
    api.render(<ServersView />);
    fireEvent.click(await screen.findByRole("button", { name: "Sign in to docs" }));
    await screen.findByText(/docs returned a sign-in address that is not a web page/);
    expect(window.location.href).toBe(before);
    expect(calls(api, "servers.startSignIn")).toHaveLength(1);
  });

  it("offers three ways to begin where there is no server", async () => {
    consoleWith([]).render(<ServersView />);
    await screen.findByText("No servers yet");
    expect(screen.getByRole("link", { name: /Paste an mcp.json/ }).getAttribute("href")).toBe("/servers/new?tab=paste");
    expect(screen.getByRole("link", { name: "Add server" }).getAttribute("href")).toBe("/servers/new");
    expect(screen.getByRole("link", { name: /sample server/ }).getAttribute("href")).toBe(
      "/servers/new?template=zwave",
    );
  });
});

describe("the overview's card of servers", () => {
  it("names each server whose tools cannot be called, and why", async () => {
    consoleWith([FILES, DOCS, SLOW]).render(<ServersAttention />);
    const card = within(await screen.findByRole("region", { name: "Servers that need attention" }));
    expect(card.getAllByRole("listitem")).toHaveLength(2);
    expect(card.getByText("The server wants a token").closest("a")?.getAttribute("href")).toBe("/servers/docs");
    expect(card.getByText("exit code 1")).toBeTruthy();
  });

  it("is not there while all is well", async () => {
    const api = consoleWith([FILES]);
    const { container } = api.render(<ServersAttention />);
    await waitFor(() => expect(calls(api, "servers.list")).toHaveLength(1));
    await act(async () => undefined);
    expect(container.querySelector("section[aria-label^='Servers']")).toBeNull();
  });
});
