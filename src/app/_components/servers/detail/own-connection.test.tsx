// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { describe, expect, it, onTestFinished, vi } from "vitest";
import { serverDetail } from "@/app/_components/servers/summary/server.test-support";
import { type FakeProcedures, fakeApi } from "@/app/_kit/fake-api.test-support";
import type { Role } from "@/lib/contract/access";
import type { OwnConnection } from "@/lib/contract/credential";
import { OwnConnectionPanel } from "./own-connection";

const EMPTY: OwnConnection = {
  kind: "values",
  slots: [
    { name: "X-Key", label: "API key", stored: false },
    { name: "X-Team", stored: false },
  ],
  connectedAt: null,
  refusal: null,
};
const STORED: OwnConnection = {
  ...EMPTY,
  slots: EMPTY.slots.map((slot) => ({ ...slot, stored: true })),
  connectedAt: 1_790_000_000_000,
};

function open(own: OwnConnection, more: FakeProcedures = {}, role: Role = "operator") {
  const api = fakeApi({ "credentials.own": () => own, ...more }, "", "live", role);
  const view = api.render(<OwnConnectionPanel server={serverDetail({ credentials: "personal" })} />);
  const sent = (path: string) => api.calls.filter((call) => call.path === path).map(({ input }) => input);
  return { ...view, sent };
}

describe("the panel of one's own connection", () => {
  it("takes the values of all slots, hides what is typed, and connects", async () => {
    const { sent, container } = open(EMPTY, {
      "credentials.save": () => null,
      "credentials.test": () => ({ status: "connected", reason: null }),
    });
    const key = await screen.findByLabelText(/API key/);
    const connect = screen.getByRole("button", { name: "Connect" });
    expect(key.getAttribute("type")).toBe("password");
    fireEvent.change(key, { target: { value: "secret" } });
    expect(connect).toHaveProperty("disabled", true);
    fireEvent.change(screen.getByLabelText(/X-Team/), { target: { value: "red" } });
    expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
    fireEvent.click(connect);
    await screen.findByText("Connected to files");
    expect(sent("credentials.save")).toEqual([{ name: "files", values: { "X-Key": "secret", "X-Team": "red" } }]);
  });

  it("replaces one value and keeps the others, and shows why the server cannot be reached with them", async () => {
    const { sent } = open(STORED, {
      "credentials.save": () => null,
      "credentials.test": () => ({ status: "failed", reason: "it refused the token" }),
    });
    fireEvent.click(await screen.findByRole("button", { name: "Replace" }));
    fireEvent.change(screen.getByLabelText(/X-Team/), { target: { value: "blue" } });
    fireEvent.click(screen.getByRole("button", { name: "Connect" }));
    await screen.findByText("it refused the token");
    expect(sent("credentials.save")).toEqual([{ name: "files", values: { "X-Team": "blue" } }]);
  });

  it("removes the credential, and shows who has connected to admins only", async () => {
    const holder = { personId: "ada", name: "Ada", kind: "values", status: "ready", updatedAt: 1, disabled: false };
    const { sent, unmount } = open(STORED, { "credentials.remove": () => null });
    fireEvent.click(await screen.findByRole("button", { name: "Remove" }));
    await waitFor(() => expect(sent("credentials.remove")).toEqual([{ name: "files" }]));
    expect(sent("credentials.holders")).toEqual([]);
    unmount();
    open(STORED, { "credentials.holders": () => [holder] }, "admin");
    await screen.findByText("1 person connected");
    expect(screen.getByText("Ada")).toBeTruthy();
  });

  it("offers the identity provider, comes back to the server, and says whether it lets the viewer in", async () => {
    const own: OwnConnection = {
      kind: "identity",
      slots: [],
      connectedAt: null,
      refusal: null,
      provider: "Example ID",
    };
    const sent: string[] = [];
    vi.stubGlobal("fetch", async (url: string, init: RequestInit) => {
      sent.push(`${url} ${init.body}`);
      return Response.json({ error: { message: "Example ID could not be reached" } }, { status: 503 });
    });
    onTestFinished(() => void vi.unstubAllGlobals());
    const { unmount, container } = open({ ...own, isProven: false });
    await screen.findByText("Sign in with Example ID to call this server's tools.");
    expect(screen.queryByRole("button", { name: "Remove" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Sign in with Example ID" }));
    await screen.findByText(/Example ID could not be reached/);
    expect(sent).toEqual([`/api/auth/sign-in/sso ${JSON.stringify({ connect: true, to: "/servers/files" })}`]);
    expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
    unmount();
    open({ ...own, isProven: true, connectedAt: 1 });
    await screen.findByText(/Example ID lets you in when you call a tool/);
    expect(screen.getByRole("button", { name: "Test" })).toBeTruthy();
  });

  it("offers the sign-in of a server with OAuth, and nothing to enter where nobody can have a credential", async () => {
    const { unmount } = open({ ...EMPTY, kind: "oauth", slots: [] });
    await screen.findByRole("button", { name: "Sign in" });
    unmount();
    open({ ...EMPTY, refusal: "Only people have credentials of their own" });
    await screen.findByText("Only people have credentials of their own");
    expect(screen.queryByRole("button", { name: "Connect" })).toBeNull();
  });
});
