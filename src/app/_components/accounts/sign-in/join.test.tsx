// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { LinkPreview } from "@/lib/contract/account";
import { type FakeAnswer, fakeAuthServer, refused } from "./auth-server.test-support";
import { JoinView } from "./join-view";

const TOKEN = "secret-of-the-link";
const PASSWORD = "correct horse battery";
const SETUP: LinkPreview = {
  kind: "setup",
  email: null,
  name: null,
  role: "admin",
  expiresAt: 1_790_000_000_000,
  password: true,
  apiTokens: 0,
};
const INVITATION: LinkPreview = { ...SETUP, kind: "invitation", role: "operator", email: "ana@example.org" };
const RESET: LinkPreview = { ...SETUP, kind: "reset", role: null, email: "ana@example.org", name: "Ana" };

function openLink(
  preview: LinkPreview | FakeAnswer,
  use: FakeAnswer = { status: 200, body: { email: "ana@example.org" } },
) {
  window.history.replaceState(null, "", `/join#${TOKEN}`);
  const server = fakeAuthServer((path) => {
    if (path === "link") return "status" in preview ? preview : { status: 200, body: preview };
    if (path === "sign-in/sso") return { status: 200, body: { url: "https://id.example.org/" } };
    return path === "link/use" ? use : { status: 204 };
  });
  fakeApi({}).render(<JoinView />);
  return server;
}

function fill(label: string, value: string): void {
  fireEvent.change(screen.getByLabelText(label), { target: { value } });
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  window.history.replaceState(null, "", "/");
});

describe("the page of a link", () => {
  it("creates the first account, signs in and opens the overview; the token is in no address", async () => {
    const { sent, opened } = openLink(SETUP);
    await screen.findByRole("heading", { name: "Create the first account" });
    expect(window.location.href).not.toContain(TOKEN);
    fill("Name", "Ana");
    fill("E-mail", "ana@example.org");
    fill("Password", PASSWORD);
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(opened).toHaveBeenCalledWith("/"));
    expect(sent.map(({ body }) => body)).toEqual([
      { token: TOKEN },
      { token: TOKEN, name: "Ana", email: "ana@example.org", password: PASSWORD },
      { email: "ana@example.org", password: PASSWORD, rememberMe: false },
    ]);
    expect(sent.map(({ url }) => url).join()).not.toContain(TOKEN);
  });

  it("shows the role of an invitation and does not let its address be changed", async () => {
    const { sent } = openLink(INVITATION);
    await screen.findByRole("heading", { name: "Join Toolroom" });
    expect(screen.getByText("operator")).toBeTruthy();
    expect(screen.getByLabelText("E-mail")).toMatchObject({ readOnly: true, value: "ana@example.org" });
    fill("Name", "Ana");
    fill("Password", PASSWORD);
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(sent.length).toBe(3));
    expect(sent[1]?.body).toEqual({ token: TOKEN, name: "Ana", password: PASSWORD });
  });

  it("asks for nothing but the password to reset it", async () => {
    const { sent } = openLink(RESET);
    await screen.findByRole("heading", { name: "Set a new password" });
    expect(screen.queryByLabelText("Name")).toBeNull();
    fill("New password", PASSWORD);
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(sent[1]?.body).toEqual({ token: TOKEN, password: PASSWORD }));
  });

  it("says that API tokens survive a reset, and revokes them on request", async () => {
    const { sent } = openLink({ ...RESET, apiTokens: 2 });
    fireEvent.click(await screen.findByLabelText("Also revoke your 2 API tokens"));
    fill("New password", PASSWORD);
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(sent[1]?.body).toEqual({ token: TOKEN, password: PASSWORD, revokeTokens: true }));
  });

  it("asks for nothing where the link signs in, and opens the account", async () => {
    const preview: LinkPreview = { ...RESET, kind: "signIn", password: false };
    const { sent, opened } = openLink(preview, { status: 200, body: { email: "ana@example.org", signedIn: true } });
    await screen.findByRole("heading", { name: "Sign in with a one-time link" });
    expect(screen.queryByLabelText(/password/i)).toBeNull();
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(opened).toHaveBeenCalledWith("/settings/account"));
    expect(sent.map(({ body }) => body)).toEqual([{ token: TOKEN }, { token: TOKEN }]);
  });

  it("leads to the provider where an invitation comes without passwords", async () => {
    const { sent, opened } = openLink({ ...INVITATION, password: false });
    fireEvent.click(await screen.findByRole("button", { name: "Join with single sign-on" }));
    expect(screen.queryByRole("form")).toBeNull();
    await waitFor(() => expect(opened).toHaveBeenCalledWith("https://id.example.org/"));
    expect(sent.at(-1)).toEqual({ url: "/api/auth/sign-in/sso", body: { to: "/" } });
  });

  it("shows what is wrong beside its field and keeps the rest", async () => {
    const problems = [{ path: "password", message: "must have at least 12 characters" }];
    const { opened } = openLink(SETUP, refused(400, "password must have at least 12 characters", problems));
    await screen.findByLabelText("Name");
    fill("Name", "Ana");
    fill("Password", "short");
    fireEvent.submit(screen.getByRole("form"));
    await screen.findByText("must have at least 12 characters");
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText("Password")));
    expect(screen.getByLabelText("Name")).toHaveProperty("value", "Ana");
    expect(opened).not.toHaveBeenCalled();
  });

  it("says that a link was used, also while its form is open, and what to do", async () => {
    openLink(INVITATION, refused(404, "This link was used by someone else"));
    await screen.findByLabelText("Name");
    fireEvent.submit(screen.getByRole("form"));
    await screen.findByText("This link was used by someone else");
    expect(screen.getByText(/An admin can create a new one/)).toBeTruthy();
    expect(screen.queryByLabelText("Password")).toBeNull();
  });

  it("says that the link is incomplete where the address has no token, and asks the server nothing", async () => {
    window.history.replaceState(null, "", "/join");
    const { sent } = fakeAuthServer(() => ({ status: 404 }));
    fakeApi({}).render(<JoinView />);
    await screen.findByRole("heading", { name: "The link is incomplete" });
    expect(sent).toEqual([]);
  });
});
