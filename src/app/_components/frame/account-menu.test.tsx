// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { afterEach, describe, expect, it, vi } from "vitest";
import { fakeAuthServer, refused } from "@/app/_components/accounts/sign-in/auth-server.test-support";
import { accountInfo, asPrincipal, OLIVIA } from "@/app/_components/accounts/summary/people.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { AccessProvider } from "@/app/_ui/access";
import { AccountMenu } from "./top-bar";

function open(accounts: boolean) {
  const api = fakeApi({ "system.info": () => accountInfo(accounts) });
  api.render(
    <AccessProvider principal={asPrincipal(OLIVIA)}>
      {/* Menus open inside it. */}
      <main id="main">
        <AccountMenu />
      </main>
    </AccessProvider>,
  );
  return api;
}

afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

describe("the account in the top bar", () => {
  it("is a name while accounts are off", async () => {
    const api = open(false);
    await waitFor(() => expect(api.calls).toHaveLength(1));
    expect(screen.getByText("Olivia")).toBeTruthy();
    expect(screen.queryByRole("button")).toBeNull();
  });

  it("says the role, opens the account, and signs out", async () => {
    const { sent, opened } = fakeAuthServer(() => ({ status: 200, body: { success: true } }));
    open(true);
    fireEvent.click(await screen.findByRole("button", { name: "Account: Olivia" }));
    await screen.findByText("Admin");
    expect(screen.getByRole("menuitem", { name: "Your account" })).toBeTruthy();
    fireEvent.click(screen.getByRole("menuitem", { name: "Sign out" }));
    await waitFor(() => expect(opened).toHaveBeenCalledWith("/sign-in"));
    expect(sent.map(({ url }) => url)).toEqual(["/api/auth/sign-out"]);
  });

  it("stays where it is and says why when signing out fails", async () => {
    const { opened } = fakeAuthServer(() => refused(503, "The database is locked"));
    open(true);
    fireEvent.click(await screen.findByRole("button", { name: "Account: Olivia" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Sign out" }));
    await screen.findByText("Couldn't sign out: The database is locked");
    expect(opened).not.toHaveBeenCalled();
  });
});
