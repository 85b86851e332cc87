// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { accountInfo, asPrincipal, OLIVIA, VICTOR } from "@/app/_components/accounts/summary/people.test-support";
import { type FakeProcedures, fakeApi, refusal } from "@/app/_kit/fake-api.test-support";
import { AccessProvider } from "@/app/_ui/access";
import type { OpenLink, User } from "@/lib/contract/account";
import type { Provisioning } from "@/lib/contract/provisioning";
import type { ServiceAccount } from "@/lib/contract/service-account";
import type { ToolsetSummary } from "@/lib/contract/toolset";
import { PeopleView } from "./people-view";

const INVITATION: OpenLink = {
  id: "link_1",
  kind: "invitation",
  email: "ina@example.org",
  role: "editor",
  creatorName: "Olivia",
  createdAt: 1_790_000_000_000,
  expiresAt: 1_790_600_000_000,
};

const DEPLOY: ServiceAccount = {
  id: "service_1",
  name: "CI deploy",
  about: "Deploys main",
  role: "operator",
  owner: null,
  disabledAt: null,
  createdAt: 1_790_000_000_000,
  tokens: 2,
  lastUsedAt: null,
};

const PROVISIONING: Provisioning = {
  token: { start: "trm_scim_a1b2", createdAt: 1_790_000_000_000, createdBy: "Olivia" },
  lastRequest: { at: 1_790_000_100_000, method: "GET", path: "/scim/v2/Users", status: 200 },
  users: 3,
  groups: [{ name: "Ops", members: 2 }],
  roles: { defaultRole: "viewer", groups: [] },
  revision: 4,
  rolesFromSignOn: false,
};

const toToolset = (name: string): ToolsetSummary => ({
  name,
  title: name,
  description: "",
  discovery: false,
  askReason: false,
  updatedAt: 0,
  toolCount: 1,
  approvals: [],
});

function open(user: User, more: FakeProcedures = {}) {
  const api = fakeApi({
    "system.info": () => accountInfo(true),
    "tokens.list": () => [],
    "people.list": () => [OLIVIA, VICTOR],
    "people.invitations": () => [INVITATION],
    "serviceAccounts.list": () => [DEPLOY],
    "scim.get": () => PROVISIONING,
    "toolsets.list": () => [toToolset("sales"), toToolset("support")],
    "accessRules.get": () => ({
      rules: { maxTokenDays: 90, absentDays: null },
      revision: 2,
      savedAt: 1,
      savedBy: "Ada",
    }),
    "accessRules.save": () => null,
    ...more,
  });
  const { container } = api.render(
    <AccessProvider principal={asPrincipal(user)}>
      <Suspense>
        <PeopleView />
      </Suspense>
    </AccessProvider>,
  );
  const sent = (path: string) => api.calls.filter((call) => call.path === path).map(({ input }) => input);
  return { sent, container };
}

async function choose(item: string, name = "Victor"): Promise<void> {
  const trigger = await screen.findByRole("button", { name: `Actions for ${name}` });
  fireEvent.click(trigger);
  fireEvent.click(await screen.findByRole("menuitem", { name: item }));
}

describe("the page of people", () => {
  it("lists users and open invitations, and axe finds nothing", async () => {
    const { container } = open(OLIVIA);
    const table = await screen.findByRole("table", { name: "People" });
    expect(within(table).getByText("victor@example.org")).toBeTruthy();
    expect(screen.getByText("ina@example.org")).toBeTruthy();
    expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
  });

  it("saves the access rules with the revision that was read, and names what is no number of days", async () => {
    const { sent } = open(OLIVIA);
    const age = await screen.findByLabelText("Greatest age of new API tokens (days)");
    const absence = screen.getByLabelText("Switch off absent accounts after (days)");
    const button = within(screen.getByRole("form", { name: "Access rules" })).getByRole("button", { name: "Save" });
    expect(age).toHaveProperty("value", "90");
    for (const text of ["0", "1.5", "-3", "3651", "x"]) {
      fireEvent.change(absence, { target: { value: text } });
      fireEvent.click(button);
      expect(screen.getByText(/^Enter a whole number from 1 to 3650/)).toBeTruthy();
    }
    fireEvent.change(absence, { target: { value: "60" } });
    fireEvent.change(age, { target: { value: "" } });
    fireEvent.click(button);
    await waitFor(() =>
      expect(sent("accessRules.save")).toEqual([{ rules: { maxTokenDays: null, absentDays: 60 }, revision: 2 }]),
    );
  });

  it("asks for no data and says who may see it where the user is no admin", async () => {
    const { sent } = open(VICTOR);
    await screen.findByText("Only admins can manage people");
    expect(screen.getByText(/needs the role admin; yours is viewer/)).toBeTruthy();
    expect([...sent("people.list"), ...sent("people.invitations")]).toEqual([]);
  });

  it("changes a role, which can be undone; one's own stays as it is", async () => {
    const { sent } = open(OLIVIA, { "people.setRole": () => null });
    const role = await screen.findByLabelText("Role of Victor");
    fireEvent.change(role, { target: { value: "operator" } });
    await screen.findByText("Victor is now operator");
    fireEvent.click(screen.getByRole("button", { name: "Undo" }));
    await screen.findByText("Victor is now viewer");
    expect(sent("people.setRole")).toEqual([
      { id: "user_2", role: "operator" },
      { id: "user_2", role: "viewer" },
    ]);
    expect(screen.getByLabelText("Role of Olivia")).toHaveProperty("disabled", true);
  });

  it("says why a change was refused until it is dismissed", async () => {
    open(OLIVIA, {
      "people.setRole": () => {
        throw refusal({ path: "", message: "Victor is the only admin" });
      },
    });
    fireEvent.change(await screen.findByLabelText("Role of Victor"), { target: { value: "operator" } });
    await screen.findByRole("alert");
    expect(screen.getByText("Victor is the only admin")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Dismiss" }));
    await waitFor(() => expect(screen.queryByRole("alert")).toBeNull());
  });

  it("switches a user off", async () => {
    const { sent } = open(OLIVIA, { "people.setDisabled": () => null });
    await choose("Switch off");
    await waitFor(() => expect(sent("people.setDisabled")).toEqual([{ id: "user_2", disabled: true }]));
  });

  it("shows a reset link once", async () => {
    open(OLIVIA, { "people.createReset": () => "reset-token" });
    await choose("Create reset link");
    const dialog = await screen.findByRole("dialog", { name: "Reset link for Victor" });
    expect(within(dialog).getByRole("group", { name: "Link" }).textContent).toMatch(/\/join#reset-token$/);
    fireEvent.click(within(dialog).getByRole("button", { name: "Done" }));
    await waitFor(() => expect(document.body.textContent).not.toContain("reset-token"));
  });

  it("says how many API tokens survive a reset, and revokes them on request", async () => {
    const token = { id: "token_1", ownerId: VICTOR.id, name: "ci", start: "trm_a" };
    const others = { ...token, id: "token_2", ownerId: OLIVIA.id };
    const { sent } = open(OLIVIA, {
      "people.createReset": () => "reset-token",
      "tokens.list": () => [token, others],
      "people.revokeTokens": () => 1,
    });
    await choose("Create reset link");
    const dialog = await screen.findByRole("dialog", { name: "Reset link for Victor" });
    await within(dialog).findByText("1 API token of Victor keeps working");
    fireEvent.click(within(dialog).getByRole("button", { name: "Revoke API tokens" }));
    await waitFor(() => expect(sent("people.revokeTokens")).toEqual([{ id: "user_2" }]));
  });

  it("marks whose sign-in wrong passwords slow down, and unlocks it", async () => {
    const { sent } = open(OLIVIA, {
      "people.list": () => [OLIVIA, { ...VICTOR, slowedUntil: 1_790_000_900_000 }],
      "people.unlock": () => null,
    });
    expect(await screen.findAllByText("Sign-in slowed")).toHaveLength(1);
    await choose("Unlock sign-in");
    await waitFor(() => expect(sent("people.unlock")).toEqual([{ id: "user_2" }]));
  });

  it("offers nothing about passwords where users sign in with the provider only, and asks for the invited address", async () => {
    const { accountMode } = accountInfo(true);
    const only = { accountMode: { ...accountMode, signOnName: "Example ID", onlySignOn: true } };
    open(OLIVIA, { "system.info": () => only });
    fireEvent.click(await screen.findByRole("button", { name: "Actions for Victor" }));
    const items = (await screen.findAllByRole("menuitem")).map(({ textContent }) => textContent);
    expect(items).toEqual(["API tokens…", "End sessions", "Switch off", "Remove"]);
    fireEvent.keyDown(screen.getByRole("menu"), { key: "Escape" });
    fireEvent.click(await screen.findByRole("button", { name: "Invite" }));
    expect(await screen.findByLabelText("E-mail")).toBeTruthy();
    expect(screen.queryByText(/anyone with the link/)).toBeNull();
  });

  it("removes a user after a confirmation only", async () => {
    const { sent } = open(OLIVIA, { "people.remove": () => null });
    await choose("Remove");
    const dialog = await screen.findByRole("dialog", { name: "Remove Victor?" });
    expect(sent("people.remove")).toEqual([]);
    fireEvent.click(within(dialog).getByRole("button", { name: "Remove" }));
    await waitFor(() => expect(sent("people.remove")).toEqual([{ id: "user_2" }]));
  });

  it("invites with a role, an address and a validity, and shows the link once", async () => {
    const { sent } = open(OLIVIA, { "people.invite": () => "invite-token" });
    fireEvent.click(await screen.findByRole("button", { name: "Invite" }));
    const form = await screen.findByRole("dialog", { name: "Invite a user" });
    fireEvent.change(within(form).getByLabelText("Role"), { target: { value: "editor" } });
    fireEvent.change(within(form).getByLabelText("E-mail (optional)"), { target: { value: "new@example.org" } });
    fireEvent.change(within(form).getByLabelText("Valid for"), { target: { value: "3" } });
    fireEvent.click(within(form).getByRole("button", { name: "Create link" }));
    const dialog = await screen.findByRole("dialog", { name: "Invitation link" });
    expect(within(dialog).getByRole("group", { name: "Link" }).textContent).toMatch(/\/join#invite-token$/);
    expect(sent("people.invite")).toEqual([{ role: "editor", email: "new@example.org", validDays: 3 }]);
  });

  it("withdraws an invitation", async () => {
    const { sent } = open(OLIVIA, { "people.revokeInvitation": () => null });
    fireEvent.click(await screen.findByRole("button", { name: "Withdraw the invitation for ina@example.org" }));
    await waitFor(() => expect(sent("people.revokeInvitation")).toEqual([{ id: "link_1" }]));
  });
});

describe("service accounts on the page of people", () => {
  it("are listed with a warning for those without an owner, and created with an owner", async () => {
    const { sent } = open(OLIVIA, { "serviceAccounts.create": () => DEPLOY });
    const table = await screen.findByRole("table", { name: "Service accounts" });
    expect(within(table).getByText("2 API tokens")).toBeTruthy();
    expect(screen.getByText("1 service account without an owner")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Create" }));
    const dialog = await screen.findByRole("dialog", { name: "Create service account" });
    fireEvent.change(within(dialog).getByLabelText(/^Name/), { target: { value: "bot" } });
    fireEvent.click(within(dialog).getByRole("button", { name: "Create" }));
    const created = { name: "bot", role: "operator", ownerId: OLIVIA.id };
    await waitFor(() => expect(sent("serviceAccounts.create")).toMatchObject([created]));
  });

  it("get tokens of their own, which can do no more than the account", async () => {
    const { sent } = open(OLIVIA, {
      "serviceAccounts.createToken": () => ({ token: { name: "ci" }, text: "trm_secret" }),
      "tools.suggest": () => [],
      "servers.names": () => [],
      "toolsets.list": () => [],
    });
    await choose("Create API token", DEPLOY.name);
    const dialog = await screen.findByRole("dialog", { name: "Create API token of CI deploy" });
    expect(dialog.textContent).toContain("the role of the account (operator)");
    fireEvent.change(within(dialog).getByLabelText(/^Name/), { target: { value: "ci" } });
    fireEvent.click(within(dialog).getByRole("button", { name: "Create token" }));
    await waitFor(() =>
      expect(sent("serviceAccounts.createToken")).toMatchObject([{ id: "service_1", name: "ci", scopes: ["run"] }]),
    );
  });

  it("are switched off", async () => {
    const { sent } = open(OLIVIA, { "serviceAccounts.update": () => ({ ...DEPLOY, disabledAt: 1 }) });
    await choose("Switch off", DEPLOY.name);
    await waitFor(() => expect(sent("serviceAccounts.update")).toEqual([{ id: "service_1", enabled: false }]));
  });

  it("are deleted after a confirmation only", async () => {
    const { sent } = open(OLIVIA, { "serviceAccounts.delete": () => null });
    await choose("Delete", DEPLOY.name);
    const confirm = await screen.findByRole("dialog", { name: "Delete CI deploy?" });
    expect(sent("serviceAccounts.delete")).toEqual([]);
    fireEvent.click(within(confirm).getByRole("button", { name: "Delete" }));
    await waitFor(() => expect(sent("serviceAccounts.delete")).toEqual([{ id: "service_1" }]));
  });
});

describe("provisioning on the page of people", () => {
  it("shows the connection, and a new token once", async () => {
    const { sent } = open(OLIVIA, { "scim.createToken": () => ({ text: "trm_scim_secret" }) });
    await screen.findByText("Provisioning (SCIM 2.0)");
    expect(screen.getByText("trm_scim_a1b2…")).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Replace token" }));
    const dialog = await screen.findByRole("dialog", { name: "SCIM token created" });
    expect(dialog.textContent).toContain("trm_scim_secret");
    expect(sent("scim.createToken")).toHaveLength(1);
    fireEvent.click(within(dialog).getByRole("button", { name: "Done" }));
    await waitFor(() => expect(document.body.textContent).not.toContain("trm_scim_secret"));
  });

  it("saves which group gives which role, with the revision that was read", async () => {
    const { sent } = open(OLIVIA, { "scim.saveRoles": () => PROVISIONING });
    const save = await screen.findByRole("button", { name: "Save roles" });
    expect(save, "nothing to save").toHaveProperty("disabled", true);
    fireEvent.click(screen.getByRole("button", { name: "Add group" }));
    expect(screen.getByLabelText("Group")).toHaveProperty("value", "Ops");
    fireEvent.change(screen.getByLabelText("Role of Ops"), { target: { value: "admin" } });
    fireEvent.click(save);
    const roles = { defaultRole: "viewer", groups: [{ group: "Ops", role: "admin" }] };
    await waitFor(() => expect(sent("scim.saveRoles")).toEqual([{ roles, revision: 4 }]));
  });

  it("limits the members of a group to the toolsets that are chosen", async () => {
    const { sent } = open(OLIVIA, { "scim.saveRoles": () => PROVISIONING });
    fireEvent.click(await screen.findByRole("button", { name: "Add group" }));
    const row = screen.getByRole("group", { name: "Rights of Ops" });
    fireEvent.change(within(row).getByLabelText("Role of Ops"), { target: { value: "" } });
    fireEvent.click(within(row).getByRole("button", { name: /^Toolsets/ }));
    fireEvent.click(await screen.findByRole("checkbox", { name: "support" }));
    fireEvent.click(screen.getByRole("button", { name: "Save roles" }));
    const roles = { defaultRole: "viewer", groups: [{ group: "Ops", role: null, toolsets: ["support"] }] };
    await waitFor(() => expect(sent("scim.saveRoles")).toEqual([{ roles, revision: 4 }]));
  });

  it("says of a group whose toolsets were deleted that its members reach none, until the limit is removed", async () => {
    const groups = [{ group: "Ops", role: "operator" as const, toolsets: [] }];
    const { sent } = open(OLIVIA, {
      "scim.get": () => ({ ...PROVISIONING, roles: { defaultRole: "viewer", groups } }),
      "scim.saveRoles": () => PROVISIONING,
    });
    await screen.findByText(/^Its toolsets were deleted: members reach none/);
    fireEvent.click(screen.getByRole("button", { name: "Remove limit" }));
    fireEvent.click(screen.getByRole("button", { name: "Save roles" }));
    const roles = { defaultRole: "viewer", groups: [{ group: "Ops", role: "operator" }] };
    await waitFor(() => expect(sent("scim.saveRoles")).toEqual([{ roles, revision: 4 }]));
  });

  it("offers toolsets and no roles of groups where single sign-on gives roles", async () => {
    open(OLIVIA, { "scim.get": () => ({ ...PROVISIONING, token: null, rolesFromSignOn: true }) });
    await screen.findByText(/^Single sign-on gives roles/);
    expect(screen.queryByRole("form", { name: "Roles of groups" })).toBeNull();
    fireEvent.click(screen.getByRole("button", { name: "Add group" }));
    expect(screen.queryByLabelText("Role of Ops")).toBeNull();
    expect(screen.getByRole("button", { name: "Save toolsets" })).toBeTruthy();
    expect(screen.getByRole("button", { name: "Create token" })).toBeTruthy();
  });
});

describe("the page of people while accounts are off", () => {
  it("offers to switch them on and says that a restart is needed", async () => {
    const { sent } = open(OLIVIA, {
      "system.info": () => accountInfo(false, "address"),
      "people.switchOn": () => null,
    });
    fireEvent.click(await screen.findByRole("button", { name: "Switch accounts on" }));
    await screen.findByText("Restart the server to switch accounts on");
    expect(sent("people.switchOn")).toHaveLength(1);
    expect(sent("people.list")).toEqual([]);
  });

  it("still says that a restart is needed when it is opened again after they were switched on", async () => {
    open(OLIVIA, { "system.info": () => accountInfo(false, "address", true) });
    await screen.findByText("Restart the server to switch accounts on");
    expect(screen.queryByRole("button", { name: "Switch accounts on" })).toBeNull();
  });

  it("says which setting has to be changed where the environment decided it", async () => {
    open(OLIVIA, { "system.info": () => accountInfo(false, "environment") });
    await screen.findByText("TOOLROOM_AUTH=off");
    expect(screen.queryByRole("button")).toBeNull();
  });
});
