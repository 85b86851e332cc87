// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { serverSummary } from "@/app/_components/servers/summary/server.test-support";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ServerSummary } from "@/lib/contract/server";
import type { ServerFilter, ServerPage } from "@/lib/contract/server-list";
import { needsAttention } from "@/lib/server-attention";
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

/** As the server answers: of the filters, the state alone is needed here. */
const toPage = (servers: readonly ServerSummary[], { state }: ServerFilter = {}): ServerPage => {
  const items = servers.filter((server) => state === undefined || server.state.status === state);
  return {
    items,
    nextCursor: null,
    matching: items.length,
    total: servers.length,
    attention: servers.filter(needsAttention).length,
    changed: false,
  };
};

function consoleWith(servers: ServerSummary[], search = ""): FakeApi {
  const items = [...servers];
  return fakeApi(
    {
      "servers.page": ({ filter }: { filter: ServerFilter }) => toPage(items, filter),
      "servers.overview": () => {
        const attention = items.filter(needsAttention);
        return { attention: { items: attention, count: attention.length }, changed: [], sample: null };
      },
      "servers.problems": () => ({ items: [], count: 0 }),
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
    expect(await within(rowOf("docs")).findByText("The server wants a token")).toBeTruthy();
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

  it("reads a page at a time, and says how many servers there are", async () => {
    const api = fakeApi({
      "servers.page": ({ cursor }: { cursor?: string | null }) => ({
        ...toPage([serverSummary({ name: cursor ? "second" : "first" })]),
        nextCursor: cursor ? null : "1 first",
        matching: 120,
        total: 120,
      }),
    });
    api.render(<ServersView />);
    await screen.findByText("120 servers");
    expect(screen.queryByRole("link", { name: "second" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Load more" }));
    await screen.findByRole("link", { name: "second" });
    expect(screen.getByRole("link", { name: "first" })).toBeTruthy();
    expect(calls(api, "servers.page").at(-1)?.input).toMatchObject({ cursor: "1 first", limit: 100 });
  });

  it("shows a switched server at once, and as it was where the server refuses", async () => {
    let refuse: (error: Error) => void = () => undefined;
    const api = fakeApi({
      "servers.page": () => toPage([FILES]),
      "servers.setEnabled": () =>
        new Promise((_, reject) => {
          refuse = reject;
        }),
    });
    api.render(<ServersView />);
    fireEvent.click(await screen.findByRole("button", { name: "Actions for files" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Disable" }));
    await screen.findByText("disabled", { selector: "td:first-child span" });
    refuse(new Error("it is locked"));
    await screen.findByText(/Couldn't disable files: it is locked/);
    await screen.findByText("connected", { selector: "td:first-child span" });
  });

  it("reads the list again when a server's state changed, wherever that was", async () => {
    const servers = [FILES];
    const api = fakeApi({ "servers.page": () => toPage(servers) });
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
    await waitFor(() => expect(calls(api, "servers.overview")).toHaveLength(1));
    await act(async () => undefined);
    expect(container.querySelector("section[aria-label^='Servers']")).toBeNull();
  });
});
