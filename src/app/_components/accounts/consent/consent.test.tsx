// @vitest-environment happy-dom
import { act, fireEvent, render, screen, waitFor } from "@testing-library/react";
import axe from "axe-core";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakeAuthServer } from "@/app/_components/accounts/sign-in/auth-server.test-support";
import type { Role } from "@/lib/contract/access";
import type { ConsentRequest } from "@/lib/contract/connected-client-schema";
import { ConsentForm } from "./consent-form";
import { ConsentRepeat } from "./consent-repeat";

const REQUEST: ConsentRequest = {
  clientName: "Claude <b>",
  document: null,
  host: "claude.ai",
  loopback: false,
  scheme: null,
  redirect: "https://claude.ai/cb",
  scopes: ["mcp:read", "mcp:run"],
  server: null,
  before: null,
};
const UNCHANGED = { scopes: false, tools: false, address: false };
const QUERY = "client_id=c&scope=mcp%3Aread+mcp%3Arun&sig=s%2B%3D";

function open(role: Role, request: Partial<ConsentRequest> = {}) {
  window.history.replaceState(null, "", `/oauth/consent?${QUERY}`);
  return render(<ConsentForm request={{ ...REQUEST, ...request }} user="Ada" role={role} />);
}

function repeat(role: Role) {
  window.history.replaceState(null, "", `/oauth/consent?${QUERY}`);
  const before = { allowedAt: Date.now() - 3_600_000, changed: UNCHANGED };
  return render(<ConsentRepeat request={{ ...REQUEST, before }} user="Ada" role={role} />);
}

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
  window.history.replaceState(null, "", "/");
});

describe("the consent page", () => {
  it("allows what is ticked, with the query as the server signed it, and goes back to the program", async () => {
    const { sent, opened } = fakeAuthServer(() => ({ status: 200, body: { url: "https://claude.ai/cb?code=x" } }));
    const { container } = open("operator");
    expect(screen.getByRole("heading").textContent).toBe("Allow Claude <b>?");
    expect((await axe.run(container)).violations).toEqual([]);
    fireEvent.click(screen.getByLabelText("Run tools"));
    fireEvent.click(screen.getByRole("button", { name: "Allow" }));
    await waitFor(() => expect(opened).toHaveBeenCalledWith("https://claude.ai/cb?code=x"));
    expect(sent).toEqual([
      { url: "/api/auth/oauth2/consent", body: { accept: true, scopes: ["mcp:read"], oauth_query: QUERY } },
    ]);
  });

  it("tells the program that it was denied", async () => {
    const { sent, opened } = fakeAuthServer(() => ({ status: 200, body: { url: "https://claude.ai/cb?error=x" } }));
    open("operator");
    fireEvent.click(screen.getByRole("button", { name: "Deny" }));
    await waitFor(() => expect(opened).toHaveBeenCalledOnce());
    expect(sent[0]?.body).toMatchObject({ accept: false });
  });

  it("offers a viewer to allow reading only, and says who may allow more", () => {
    open("viewer");
    expect(screen.getByLabelText("Run tools")).toMatchObject({ disabled: true, checked: false });
    expect(screen.getByText(/^Needs the role operator, editor or admin; yours is viewer/)).toBeTruthy();
    fireEvent.click(screen.getByLabelText("See tools"));
    expect(screen.getByRole("button", { name: "Allow" })).toHaveProperty("disabled", true);
  });

  it("warns where the answer goes to this computer, and names the server", () => {
    open("admin", { loopback: true, server: "files" });
    expect(screen.getByText("The answer goes to a program on this computer, at claude.ai")).toBeTruthy();
    expect(screen.getByText("files")).toBeTruthy();
  });

  it("shows the exact address of a desktop program, and stays with a way to open the program once more", async () => {
    const redirect = "cursor://anysphere.cursor-mcp/oauth/callback";
    const { opened } = fakeAuthServer(() => ({ status: 200, body: { url: `${redirect}?code=x` } }));
    const { container } = open("operator", { host: "anysphere.cursor-mcp", scheme: "cursor:", redirect });
    expect(screen.getByText("The answer goes to a program on this computer that opens cursor: links")).toBeTruthy();
    expect(screen.getByText(redirect)).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Allow" }));
    expect((await screen.findByRole("heading", { name: /^Continue/ })).textContent).toBe("Continue in Claude <b>");
    expect((await axe.run(container)).violations).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "Open Claude <b>" }));
    expect(opened.mock.calls).toEqual([[`${redirect}?code=x`], [`${redirect}?code=x`]]);
  });

  it("names the host that describes the program, and no host for a program that registered itself", () => {
    const { unmount } = open("operator", { document: "https://publisher.example/claude.json" });
    expect(screen.getByText("publisher.example")).toBeTruthy();
    expect(screen.getByText("https://publisher.example/claude.json")).toBeTruthy();
    unmount();
    open("operator");
    expect(screen.queryByText(/^Described by/)).toBeNull();
  });

  it("shows the whole address that the answer goes to", () => {
    open("operator");
    expect(screen.getByText("https://claude.ai/cb")).toBeTruthy();
  });

  it("says that an earlier consent does not cover the request, and is not continued by itself", () => {
    vi.useFakeTimers();
    const { sent } = fakeAuthServer(() => ({ status: 200, body: { url: "https://claude.ai/cb" } }));
    open("operator", { before: { allowedAt: Date.now() - 3_600_000, changed: { ...UNCHANGED, scopes: true } } });
    expect(screen.getByText(/^You allowed this program .*This request asks for more permissions\.$/)).toBeTruthy();
    act(() => vi.advanceTimersByTime(60_000));
    expect(sent).toEqual([]);
  });

  it.each([
    [{ tools: true }, "is for other tools."],
    [{ address: true }, "sends its answer to another address."],
    [
      { scopes: true, tools: true, address: true },
      "asks for more permissions, is for other tools, and sends its answer to another address.",
    ],
  ])("names what an earlier consent does not cover, and nothing else: %o", (changed, text) => {
    open("operator", { before: { allowedAt: Date.now(), changed: { ...UNCHANGED, ...changed } } });
    expect(screen.getByText(/^You allowed/).textContent?.split("This request ")[1]).toBe(text);
  });

  it("shows a sign-in that was allowed before, with what it may do, and continues by itself while it can be seen", async () => {
    vi.useFakeTimers();
    const { sent } = fakeAuthServer(() => ({ status: 200, body: { url: "https://claude.ai/cb" } }));
    const visible = vi.spyOn(document, "visibilityState", "get").mockReturnValue("hidden");
    const { container } = repeat("viewer");
    expect(screen.getByRole("heading").textContent).toBe("Claude <b> is signing in again");
    expect(screen.getByText("See tools")).toBeTruthy();
    expect(screen.queryByText("Run tools"), "the role no longer allows it").toBeNull();
    const pass = async (seconds: number) => {
      for (let second = 0; second < seconds; second += 1) await act(() => vi.advanceTimersByTimeAsync(1000));
    };
    await pass(60);
    expect(sent).toEqual([]);
    visible.mockReturnValue("visible");
    await pass(6);
    expect(sent.map(({ body }) => body)).toEqual([{ accept: true, scopes: ["mcp:read"], oauth_query: QUERY }]);
    vi.useRealTimers();
    expect((await axe.run(container)).violations).toEqual([]);
  });

  it("stops a sign-in that was allowed before", async () => {
    const { sent, opened } = fakeAuthServer(() => ({ status: 200, body: { url: "https://claude.ai/cb?error=x" } }));
    repeat("operator");
    fireEvent.click(screen.getByRole("button", { name: "Stop" }));
    await waitFor(() => expect(opened).toHaveBeenCalledOnce());
    expect(sent.map(({ body }) => body)).toMatchObject([{ accept: false }]);
  });

  it("says that the request has expired and stays", async () => {
    const { opened } = fakeAuthServer(() => ({
      status: 400,
      body: { error: "invalid_request", error_description: "This request has expired: start again in the program" },
    }));
    open("admin");
    fireEvent.click(screen.getByRole("button", { name: "Allow" }));
    await screen.findByText("This request has expired: start again in the program");
    expect(opened).not.toHaveBeenCalled();
  });
});
