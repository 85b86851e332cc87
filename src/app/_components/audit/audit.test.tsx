// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import axe from "axe-core";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { asPrincipal, OLIVIA, VICTOR } from "@/app/_components/accounts/summary/people.test-support";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { AccessProvider } from "@/app/_ui/access";
import type { User } from "@/lib/contract/account";
import type { AuditEntry } from "@/lib/contract/audit-entry";
import { listOperations } from "@/server/main/api/operations";
import { AuditView } from "./audit-view";
import { describeAction } from "./audit-words";

const CHANGED: AuditEntry = {
  seq: 2,
  at: 1_790_000_000_000,
  actor: { id: "olivia", name: "Olivia" },
  token: "ci",
  hash: "ab12",
  door: "rest",
  address: "10.0.0.7",
  action: "tools.update",
  target: { kind: "tool", name: "echo" },
  outcome: "done",
  error: null,
  times: 1,
  before: '{"enabled":true,"text":"same"}',
  after: '{"enabled":false,"text":"same"}',
};
const DENIED: AuditEntry = {
  ...CHANGED,
  seq: 1,
  actor: { id: "unknown", name: "Not signed in" },
  token: null,
  action: "signIn",
  target: { kind: "account", name: "eve@example.org" },
  outcome: "denied",
  error: "The password is wrong",
  before: null,
  after: null,
  times: 41,
};

function open(user: User, search = "", items: AuditEntry[] = [CHANGED, DENIED]) {
  const api = fakeApi(
    {
      "audit.list": () => ({ items, nextCursor: null }),
      "audit.facets": () => ({ actors: [CHANGED.actor], actions: ["tools.update"], targets: ["tool"] }),
    },
    search,
  );
  const { container } = api.render(
    <AccessProvider principal={asPrincipal(user)}>
      <Suspense>
        <AuditView />
      </Suspense>
    </AccessProvider>,
  );
  const asked = () =>
    api.calls.filter(({ path }) => path === "audit.list").map(({ input }) => (input as { filter: object }).filter);
  return { api, container, asked };
}

describe("the page of the audit log", () => {
  it("lists who did what, from where and with which outcome, and axe finds nothing", async () => {
    const { container } = open(OLIVIA);
    const table = await screen.findByRole("table", { name: "Audit log" });
    const [, changed, denied] = within(table).getAllByRole("row");
    expect(changed?.textContent).toMatch(/Update tool.*echo.*Done.*Olivia.*token ci.*REST API.*10\.0\.0\.7/);
    expect(denied?.textContent).toMatch(/Sign in.*eve@example\.org.*Denied× 41.*Not signed in/);
    expect((await axe.run(container, { rules: { region: { enabled: false } } })).violations).toEqual([]);
  });

  it("opens an entry with what changed, marked as before and after", async () => {
    open(OLIVIA);
    const row = await screen.findByRole("button", { name: /^Update tool/ });
    expect(row.getAttribute("aria-expanded")).toBe("false");
    fireEvent.click(row);
    const change = await screen.findByRole("region", { name: "Change compared" });
    expect(change.textContent).toContain("1 changed");
    expect(change.textContent).toMatch(/before: .*true.*after: .*false/);
    fireEvent.click(screen.getByRole("button", { name: /^Sign in/ }));
    expect(await screen.findByText("The password is wrong")).toBeTruthy();
  });

  it("asks for what the address says, and exports the same", async () => {
    const { asked, api } = open(OLIVIA, "?actor=olivia&outcome=denied&q=eve&since=5");
    await screen.findByRole("table", { name: "Audit log" });
    const filter = { actor: ["olivia"], outcome: "denied", since: 5, q: "eve" };
    expect(asked()[0]).toEqual(filter);
    const link = screen.getByRole("link", { name: "Export as CSV" }).getAttribute("href") ?? "";
    const { searchParams } = new URL(link, "http://localhost");
    expect([searchParams.get("format"), JSON.parse(searchParams.get("filter") ?? "")]).toEqual(["csv", filter]);
    fireEvent.click(screen.getByRole("button", { name: "Outcome Denied" }));
    fireEvent.click(await screen.findByRole("button", { name: "Failed" }));
    await waitFor(() => expect(api.searches.at(-1)).toContain("outcome=failed"));
    fireEvent.click(screen.getByRole("button", { name: "Clear filters" }));
    await waitFor(() => expect(api.searches.at(-1)).not.toContain("outcome"));
  });

  it("shows text of others as text, also where a long state was cut", async () => {
    const hostile = { ...CHANGED, before: null, after: '{"a":"<img src=x onerror=alert(1)>… (5 more characters)' };
    const { container } = open(OLIVIA, "", [hostile]);
    fireEvent.click(await screen.findByRole("button", { name: /^Update tool/ }));
    expect((await screen.findByRole("region", { name: "After" })).textContent).toContain("<img src=x");
    expect(container.querySelector("img")).toBeNull();
  });

  it("asks for no data and says who may see it where the user is no admin", async () => {
    const { api } = open(VICTOR);
    await screen.findByText("Only admins can see the audit log");
    expect(api.calls).toEqual([]);
  });
});

it("every action that can be recorded is named in words", () => {
  const declared = listOperations().flatMap(({ action, operation }) =>
    operation.kind === "act" ? [operation.recordedAs ?? action] : [],
  );
  expect(declared).toContain("tools.create");
  const words = [...declared, "signIn", "signOut", "token.refused", "attempts", "audit.damaged"].map(describeAction);
  for (const text of words) expect(text).toMatch(/^[A-Z][a-z]+( [A-Za-z-]+)+( \([A-Za-z ]+\))?$/);
  expect(new Set(words).size).toBe(words.length);
});
