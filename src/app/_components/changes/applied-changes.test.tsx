// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { OpenedList } from "@/app/_components/clients/opened-list";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ChangeReview, ReviewedChange } from "@/lib/contract/change-review";
import type { ClientDetail } from "@/lib/contract/client";
import { ReviewView } from "./review-view";

const CHANGE: ReviewedChange = {
  server: "crm",
  tool: "find",
  catalogName: "crm__find",
  hash: "h1",
  status: "applied",
  kind: "breaking",
  details: ["parameter 'page' is now required"],
  renamedTo: null,
  heldAt: 5,
  decidedBy: null,
  decidedAt: null,
  schema: null,
  traffic: {
    tool: "find",
    from: 0,
    to: 10,
    total: 40,
    counts: { accepted: 3, rejected: 37, alreadyInvalid: 0, undecidable: 0 },
    complete: true,
    reasons: [{ reason: "`page` became required", path: "page", calls: 37 }],
    examples: [],
    broken: 37,
    clients: [{ id: "cursor", name: "cursor", calls: 37 }],
    people: [{ id: "ada", name: "Ada", calls: 37 }],
    fields: [],
    ignored: [],
    suites: { total: 4, broken: 2 },
    results: { judged: 0, undecidable: 0 },
    severity: "error",
  },
  judgedAt: 6,
  replay: null,
};
const REMOVED: ReviewedChange = {
  ...CHANGE,
  tool: "gone",
  catalogName: "crm__gone",
  hash: "removed:h2",
  kind: "removed",
  renamedTo: "went",
};

const show = (policy: ChangeReview["policy"]) => {
  const review: ChangeReview = {
    server: "crm",
    policy,
    items: [CHANGE, REMOVED],
    total: 2,
    replayable: [],
    proposed: [],
    skills: [],
  };
  const api = fakeApi({
    "changes.review": () => review,
    "servers.setChangedTools": () => ({}),
    "servers.decideChanges": () => ({ decided: ["find"], missed: [] }),
  });
  api.render(
    <Suspense>
      <ReviewView server="crm" />
    </Suspense>,
  );
  return api;
};

describe("the review of changes that are in use", () => {
  it("shows the verdict, its callers, calls of tests apart, and holds changes from now on", async () => {
    show("off");
    const card = within(await screen.findByRole("region", { name: "Change of find" }));
    expect(card.getByText(/37 of 40 recent calls would now be rejected/)).toBeDefined();
    expect(card.getByRole("link", { name: "cursor" }).getAttribute("href")).toBe(
      "/executions?tool=crm__find&change=h1&client=cursor",
    );
    expect(card.getByRole("link", { name: "2 of 4 calls" }).getAttribute("href")).toContain("source=test,check");
    expect(card.queryByRole("button", { name: /Block calls/ })).toBeNull();
    const removed = within(screen.getByRole("region", { name: "Change of gone" }));
    expect(removed.getByRole("link", { name: "went" }).getAttribute("href")).toBe("/tools/crm__went");
    fireEvent.click(screen.getByRole("button", { name: "Hold changes of this server from now on" }));
    await waitFor(() => expect(screen.getByText(/wait for a review from now on/)).toBeDefined());
  });

  it("lets a change be blocked afterwards under a policy that holds changes", async () => {
    show("auto");
    const card = within(await screen.findByRole("region", { name: "Change of find" }));
    for (const name of [/^Accept/, /^Block calls/, /^Keep old definition/]) {
      expect(card.getByRole("button", { name })).toBeDefined();
    }
    expect(screen.queryByRole("button", { name: /from now on/ })).toBeNull();
  });
});

describe("a list that a client was given", () => {
  it("opens with its entries, and shows what changed since another one", async () => {
    const listing = (hash: string, lastAt: number) => ({ hash, tools: 1, firstAt: 1, lastAt, count: 1 });
    const client = { id: "c1", items: [{ listings: [listing("newest00", 9), listing("oldest00", 5)] }] };
    const tool = { name: "read", tool: "files__read", hash: "x", entry: { name: "read", description: "Reads a file" } };
    const change = { name: "read", kind: "breaking" as const, details: ["parameter 'page' is now required"] };
    fakeApi(
      {
        "clients.readList": () => ({
          hash: "newest00",
          firstAt: 1,
          lastAt: 9,
          count: 1,
          addresses: ["/mcp"],
          tools: [tool],
          leftOut: [],
          leftOutCount: 0,
        }),
        "clients.compareLists": () => ({
          from: "oldest00",
          to: "newest00",
          added: ["late"],
          removed: [],
          changed: [{ ...change, before: tool.entry, after: tool.entry }],
        }),
      },
      "?list=newest00&with=oldest00",
    ).render(<OpenedList client={client as unknown as ClientDetail} />);
    const list = within(await screen.findByRole("list", { name: "Tools of the opened list" }));
    expect(list.getByText("Reads a file")).toBeDefined();
    const comparison = within(await screen.findByRole("region", { name: "Comparison" }));
    expect(await comparison.findByText("late")).toBeDefined();
    expect(comparison.getByText("parameter 'page' is now required")).toBeDefined();
    expect(screen.getByRole("combobox", { name: "Compare with" })).toBeDefined();
  });
});
