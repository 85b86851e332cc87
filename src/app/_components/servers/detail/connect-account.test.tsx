// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { expect, it, vi } from "vitest";
import { findViolations } from "@/app/_kit/axe.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { OwnConnection, SignInLink } from "@/lib/contract/credential";
import { serverDetail } from "../summary/server.test-support";
import { ConnectAccount } from "./connect-account";

const LINK: SignInLink = { server: "files", toolName: "files__whoami", isConnected: false };
const OWN: OwnConnection = { kind: "oauth", slots: [], connectedAt: null, refusal: null };

function open(link: () => SignInLink) {
  const api = fakeApi({
    "credentials.signInLink": link,
    "credentials.own": () => OWN,
    "credentials.holders": () => [],
    "servers.get": () => serverDetail({ credentials: "personal" }),
    "servers.startSignIn": () => ({ url: null }),
  });
  api.render(<ConnectAccount id="link-1" />);
  return api;
}

it("names the call, and begins a sign-in that comes back to the page of the link", async () => {
  const api = open(() => LINK);
  expect(await screen.findByText("files__whoami")).toBeDefined();
  expect(screen.queryByText("Your account is connected")).toBeNull();
  fireEvent.click(await screen.findByRole("button", { name: "Sign in" }));
  await vi.waitFor(() => {
    expect(api.calls.find(({ path }) => path === "servers.startSignIn")?.input).toMatchObject({
      returnTo: "/oauth/connect/link-1",
    });
  });
  expect(await findViolations()).toEqual([]);
});

it("says that the call continues once the account is connected", async () => {
  let link = LINK;
  const api = open(() => link);
  await screen.findByText("files__whoami");
  link = { ...LINK, isConnected: true };
  api.emit({ type: "servers", server: "files" });
  expect(await screen.findByText("Your account is connected")).toBeDefined();
});

it("offers nothing to anyone else, and says why", async () => {
  const api = open(() => {
    throw new Error("This link is for another user: sign in as the user whose client showed it");
  });
  expect(await screen.findByText(/^This link is for another user/)).toBeDefined();
  expect(screen.queryByRole("button")).toBeNull();
  expect(api.calls.some(({ path }) => path.startsWith("servers."))).toBe(false);
});
