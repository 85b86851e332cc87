// @vitest-environment happy-dom
import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { executionDetail } from "@/app/_components/executions/summary/execution.test-support";
import { serverDetail, serverSummary } from "@/app/_components/servers/summary/server.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ConnectionStatus } from "@/lib/contract/server";
import { FailureView } from "./failure-view";

afterEach(() => {
  vi.restoreAllMocks();
});

const execution = executionDetail({
  toolName: "files__read",
  status: "failed",
  resultText: null,
  serverName: "files",
  errorKind: "sign_in_needed",
  error: "Server 'files' needs a sign-in",
});

const server = (status: ConnectionStatus) =>
  serverDetail({ state: serverSummary({ state: { status } }).state, auth: "oauth" });

describe("a call that failed for lack of a sign-in", () => {
  it("offers the sign-in, which comes back to the call", async () => {
    const assign = vi.spyOn(window.location, "assign").mockImplementation(() => undefined);
    const api = fakeApi({
      "servers.get": () => server("sign_in_needed"),
      "servers.startSignIn": () => ({ url: "https://auth.example/authorize?state=x" }),
    });
    api.render(<FailureView execution={execution} />);
    expect(screen.getByText("Sign-in required")).toBeDefined();
    fireEvent.click(await screen.findByRole("button", { name: "Sign in" }));
    await vi.waitFor(() => expect(assign).toHaveBeenCalledWith("https://auth.example/authorize?state=x"));
    expect(api.calls.find(({ path }) => path === "servers.startSignIn")?.input).toMatchObject({
      name: "files",
      returnTo: `/executions/${execution.id}`,
    });
    expect(screen.getByRole("link", { name: "Open server" }).getAttribute("href")).toBe("/servers/files");
  });

  it("leads to where the caller's own account is connected, and offers the replay once it is", async () => {
    const open = (connectedAt: number | null) =>
      fakeApi({
        "servers.get": () => ({ ...server("idle"), credentials: "personal" }),
        "credentials.own": () => ({ kind: "values", slots: [], connectedAt, refusal: null }),
      }).render(<FailureView execution={execution} />);
    const { unmount } = open(null);
    const connect = await screen.findByRole("link", { name: "Connect your account" });
    expect(connect.getAttribute("href")).toBe("/servers/files");
    expect(screen.queryByRole("button", { name: "Replay this call" })).toBeNull();
    unmount();
    open(1);
    await screen.findByRole("button", { name: "Replay this call" });
  });

  it("offers to replay the call as soon as the server is signed in to", async () => {
    let status: ConnectionStatus = "sign_in_needed";
    const api = fakeApi({
      "servers.get": () => server(status),
      "executions.replay": () => ({ id: "exec_bbbbbbbb2" }),
    });
    api.render(<FailureView execution={execution} />);
    await screen.findByRole("button", { name: "Sign in" });
    status = "connected";
    act(() => api.emit({ type: "servers", server: "files" }));
    fireEvent.click(await screen.findByRole("button", { name: "Replay this call" }));
    await vi.waitFor(() => expect(api.visited).toEqual(["/executions/exec_bbbbbbbb2"]));
  });

  it("says why the sign-in could not be started", async () => {
    const api = fakeApi({
      "servers.get": () => server("sign_in_needed"),
      "servers.startSignIn": () => {
        throw new Error("the authorization server does not answer");
      },
    });
    api.render(<FailureView execution={execution} />);
    fireEvent.click(await screen.findByRole("button", { name: "Sign in" }));
    expect((await screen.findByRole("alert")).textContent).toContain("the authorization server does not answer");
  });
});
