// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { accountInfo, asPrincipal, OLIVIA, VICTOR } from "@/app/_components/accounts/summary/people.test-support";
import { type FakeProcedures, fakeApi, refusal } from "@/app/_kit/fake-api.test-support";
import { AccessProvider } from "@/app/_ui/access";
import type { ApiToken, UserSession } from "@/lib/contract/account";
import type { ConnectedClient } from "@/lib/contract/connected-client-schema";
import { AccountView } from "./account-view";

const TOKEN: ApiToken = {
  id: "token_1",
  name: "ci",
  ownerId: VICTOR.id,
  ownerName: VICTOR.name,
  start: "trm_abc123",
  scopes: ["run"],
  tools: ["echo"],
  servers: ["files"],
  createdAt: 1_790_000_000_000,
  expiresAt: null,
  lastUsedAt: null,
};
const SESSION: UserSession = {
  id: "session_1",
  createdAt: 1_790_000_000_000,
  expiresAt: 1_792_000_000_000,
  userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0",
  address: "127.0.0.1",
  current: true,
};
const OTHER: UserSession = { ...SESSION, id: "session_2", userAgent: "curl/8.5.0 <b>", current: false };
const CLIENT: ConnectedClient = {
  id: "client_1",
  name: "Claude",
  hosts: ["claude.ai"],
  scopes: ["read", "run"],
  connectedAt: 1_790_000_000_000,
  lastSeenAt: 1_790_000_100_000,
};

function open(more: FakeProcedures = {}) {
  const api = fakeApi({
    "system.info": () => accountInfo(true),
    "account.me": () => OLIVIA,
    "account.sessions": () => [SESSION, OTHER],
    "account.localRecords": () => null,
    "account.clients": () => [CLIENT],
    "tokens.list": () => [TOKEN],
    "credentials.list": () => [{ server: "tracker", kind: "values", status: "ready", updatedAt: 1_790_000_000_000 }],
    "tools.suggest": () => [{ name: "echo" }, { name: "clock" }],
    "servers.names": () => ["files"],
    ...more,
  });
  const { container } = api.render(
    <AccessProvider principal={asPrincipal(OLIVIA)}>
      <Suspense>
        <AccountView />
      </Suspense>
    </AccessProvider>,
  );
  const sent = (path: string) => api.calls.filter((call) => call.path === path).map(({ input }) => input);
  return { sent, container };
}

describe("the page of one's account", () => {
  it("offers the calls of the local owner to the first owner, asks first, and is silent without any", async () => {
    const { sent } = open({
      "account.localRecords": () => ({ calls: 10_000, runs: 1, limit: 10_000 }),
      "account.claimLocalRecords": () => ({ calls: 12_345, runs: 1 }),
    });
    expect(await screen.findByText(/^10,000 or more calls and 1 run from before accounts/)).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Claim" }));
    const dialog = await screen.findByRole("dialog");
    expect(sent("account.claimLocalRecords")).toEqual([]);
    fireEvent.click(within(dialog).getByRole("button", { name: "Claim" }));
    expect(await screen.findByText("12,345 calls and 1 run claimed")).toBeTruthy();
    expect(sent("account.claimLocalRecords")).toHaveLength(1);
  });

  it("says nothing of earlier calls to anyone else", async () => {
    open();
    expect(await screen.findByText("claude.ai")).toBeTruthy();
    expect(screen.queryByText(/from before accounts/)).toBeNull();
  });

  it("lists connected clients and disconnects one", async () => {
    const { sent } = open({ "account.revokeClient": () => null });
    expect(await screen.findByText("claude.ai")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Disconnect Claude" }));
    await waitFor(() => expect(sent("account.revokeClient")).toEqual([{ id: "client_1" }]));
  });

  it("saves the name, and axe finds nothing", async () => {
    const { sent, container } = open({ "account.rename": () => null });
    const form = await screen.findByRole("form", { name: "Name" });
    fireEvent.change(within(form).getByLabelText(/^Name/), { target: { value: "Olivia O." } });
    fireEvent.click(within(form).getByRole("button", { name: "Save name" }));
    await screen.findByText("Name saved");
    expect(sent("account.rename")).toEqual([{ name: "Olivia O." }]);
    expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
  });

  it("shows a wrong current password beside its field, and empties both after a change", async () => {
    let wrong = true;
    open({
      "account.changePassword": () => {
        if (wrong) throw refusal({ path: "current", message: "is wrong" });
        return null;
      },
    });
    const form = await screen.findByRole("form", { name: "Change password" });
    const current = within(form).getByLabelText(/^Current password/);
    const next = within(form).getByLabelText(/^New password/);
    fireEvent.change(current, { target: { value: "not this" } });
    fireEvent.change(next, { target: { value: "another long password" } });
    fireEvent.submit(form);
    await within(form).findByText("is wrong");
    expect(current.getAttribute("aria-invalid")).toBe("true");
    wrong = false;
    fireEvent.submit(form);
    await waitFor(() => expect(screen.getByLabelText(/^New password/)).toHaveProperty("value", ""));
    expect(screen.getByLabelText(/^Current password/)).toHaveProperty("value", "");
  });

  it("offers no change of a password to a user without one, and connects the provider of a user with one", async () => {
    const info = accountInfo(true);
    const withProvider = { accountMode: { ...info.accountMode, signOnName: "Example ID" } };
    const first = open({
      "system.info": () => withProvider,
      "account.me": () => ({ ...OLIVIA, signIn: ["sso"] }),
    });
    await screen.findByText(/You have no password: you sign in with Example ID/);
    expect(screen.queryByRole("form", { name: "Change password" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Connect Example ID" })).toBeNull();
    first.container.remove();
    open({ "system.info": () => withProvider, "account.me": () => ({ ...OLIVIA, signIn: ["password"] }) });
    expect(await screen.findByRole("button", { name: "Connect Example ID" })).toBeTruthy();
    expect(screen.getByRole("form", { name: "Change password" })).toBeTruthy();
  });

  it("marks the session of this browser and ends another one", async () => {
    const { sent } = open({ "account.endSession": () => null });
    const own = (await screen.findByText("Firefox on Linux")).closest("li");
    expect(own?.textContent).toContain("This browser");
    expect(own?.querySelector("button")).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "End session of curl/8.5.0 <b>" }));
    await waitFor(() => expect(sent("account.endSession")).toEqual([{ id: "session_2" }]));
  });

  it("lists the connected servers, and removes one's own credential", async () => {
    const { sent } = open({ "credentials.remove": () => null });
    const remove = await screen.findByRole("button", { name: "Remove your credential for tracker" });
    expect(screen.getByRole("link", { name: "tracker" }).getAttribute("href")).toBe("/servers/tracker");
    fireEvent.click(remove);
    await waitFor(() => expect(sent("credentials.remove")).toEqual([{ name: "tracker" }]));
  });

  it("says that tokens need accounts while these are off", async () => {
    const { sent } = open({ "system.info": () => accountInfo(false), "account.me": () => null });
    await screen.findByText("Accounts are off");
    expect(screen.getByText(/tokens belong to people and need accounts/)).toBeTruthy();
    expect(sent("tokens.list")).toEqual([]);
  });
});

describe("passwords and sessions", () => {
  it("revokes the API tokens with a new password where that is chosen", async () => {
    const { sent } = open({
      "tokens.list": () => [{ ...TOKEN, id: "token_2", ownerId: OLIVIA.id }, TOKEN],
      "account.changePassword": () => null,
    });
    fireEvent.change(await screen.findByLabelText(/^Current password/), { target: { value: "old one" } });
    fireEvent.change(screen.getByLabelText(/^New password/), { target: { value: "a new good password" } });
    fireEvent.click(screen.getByLabelText("Also revoke your 1 API token"));
    fireEvent.submit(screen.getByRole("form", { name: "Change password" }));
    const passwords = { current: "old one", next: "a new good password", revokeTokens: true };
    await waitFor(() => expect(sent("account.changePassword")).toEqual([passwords]));
  });

  it("has no password where users sign in with the provider only", async () => {
    const info = accountInfo(true);
    const only = { accountMode: { ...info.accountMode, signOnName: "Example ID", onlySignOn: true } };
    open({ "system.info": () => only });
    await screen.findByText(/Passwords are switched off/);
    expect(screen.queryByLabelText("Current password")).toBeNull();
  });

  it("ends all sessions, and says why where that failed", async () => {
    const { sent } = open({
      "account.endAllSessions": () => {
        throw new Error("The disk is full");
      },
    });
    fireEvent.click(await screen.findByRole("button", { name: "Sign out everywhere" }));
    await screen.findByText("The disk is full");
    expect(sent("account.endAllSessions")).toHaveLength(1);
  });
});

describe("API tokens", () => {
  it("are shown with owner, start, scope and limits", async () => {
    open();
    const row = (await screen.findByText("trm_abc123…")).closest("li");
    for (const text of ["ci", "Run", "of Victor", "Only echo, all of files", "never expires", "never used"]) {
      expect(row?.textContent).toContain(text);
    }
  });

  it("are created with one scope, limits and a validity; the secret is shown once, ready to paste", async () => {
    const { sent } = open({ "tokens.create": () => ({ token: { ...TOKEN, name: "deploy" }, text: "trm_secret" }) });
    fireEvent.click(await screen.findByRole("button", { name: "Create token" }));
    const form = await screen.findByRole("dialog", { name: "Create API token" });
    fireEvent.change(within(form).getByLabelText(/^Name/), { target: { value: "deploy" } });
    fireEvent.click(within(form).getByRole("button", { name: "Tools" }));
    fireEvent.click(await screen.findByRole("checkbox", { name: "echo" }));
    fireEvent.change(within(form).getByLabelText("Expires after"), { target: { value: "" } });
    fireEvent.submit(form.querySelector("form") as HTMLFormElement);
    const dialog = await screen.findByRole("dialog", { name: "API token created" });
    expect(sent("tokens.create")).toEqual([
      { name: "deploy", scopes: ["run"], tools: ["echo"], servers: null, validDays: null },
    ]);
    const readText = (label: string) => within(dialog).getByRole("group", { name: label }).textContent ?? "";
    expect(readText("Token")).toBe("trm_secret");
    expect(readText("Header")).toBe("Authorization: Bearer trm_secret");
    expect(JSON.parse(readText("mcp.json")).mcpServers.toolroom).toMatchObject({
      url: `${window.location.origin}/mcp`,
      headers: { Authorization: "Bearer trm_secret" },
    });
    fireEvent.click(within(dialog).getByRole("button", { name: "Done" }));
    await waitFor(() => expect(document.body.textContent).not.toContain("trm_secret"));
  });

  it.each([
    [7, ["7 days"], "7"],
    [60, ["30 days", "60 days"], "60"],
    [90, ["30 days", "90 days"], "90"],
    [365, ["30 days", "90 days", "365 days"], "90"],
    [null, ["30 days", "90 days", "365 days", "Never"], "90"],
  ])("offer no validity beyond the greatest age of %s days", async (maxTokenDays, texts, chosen) => {
    open({ "system.info": () => ({ accountMode: { ...accountInfo(true).accountMode, maxTokenDays } }) });
    fireEvent.click(await screen.findByRole("button", { name: "Create token" }));
    const field = (await screen.findByLabelText("Expires after")) as HTMLSelectElement;
    expect([...field.options].map(({ text }) => text)).toEqual(texts);
    expect(field.value).toBe(chosen);
  });

  it("have limits with the scope run only, since a limited token runs its tools and nothing else", async () => {
    const { sent } = open({ "tokens.create": () => ({ token: TOKEN, text: "trm_secret" }) });
    fireEvent.click(await screen.findByRole("button", { name: "Create token" }));
    const form = await screen.findByRole("dialog", { name: "Create API token" });
    fireEvent.change(within(form).getByLabelText(/^Name/), { target: { value: "all" } });
    fireEvent.click(within(form).getByRole("button", { name: "Tools" }));
    fireEvent.click(await screen.findByRole("checkbox", { name: "echo" }));
    fireEvent.click(within(form).getByRole("radio", { name: "Manage" }));
    expect(within(form).queryByText("Limit to (optional)")).toBeNull();
    fireEvent.submit(form.querySelector("form") as HTMLFormElement);
    await waitFor(() => expect(sent("tokens.create")).toMatchObject([{ scopes: ["manage"], tools: null }]));
  });

  it("are revoked after a confirmation only", async () => {
    const { sent } = open({ "tokens.revoke": () => null });
    fireEvent.click(await screen.findByRole("button", { name: "Revoke ci" }));
    const dialog = await screen.findByRole("dialog", { name: "Revoke ci?" });
    expect(sent("tokens.revoke")).toEqual([]);
    fireEvent.click(within(dialog).getByRole("button", { name: "Revoke" }));
    await waitFor(() => expect(sent("tokens.revoke")).toEqual([{ id: "token_1" }]));
  });
});
