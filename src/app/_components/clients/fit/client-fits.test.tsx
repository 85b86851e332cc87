// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { ClientFinding, ClientVerdict } from "@/lib/contract/client-verdict-schema";
import { ClientFits } from "./client-fits";
import { GivenFit } from "./given-fit";

const finding = (more: Partial<ClientFinding> = {}): ClientFinding => ({
  client: "cursor",
  rule: "cursor/name-length",
  severity: "refused",
  tool: "long_name",
  catalogTool: "files__long_name",
  where: "/name",
  message: "The name has 71 characters; Cursor takes 59 and refuses it.",
  remedy: { kind: "rename", text: "Give it a name of at most 51 characters in a toolset." },
  source: { url: "https://example.com/rule", readOn: "2026-11-30" },
  ...more,
});
const verdict = (more: Partial<ClientVerdict> = {}): ClientVerdict => ({
  client: "cursor",
  label: "Cursor",
  verdict: "works_with_changes",
  reason: "",
  tools: 12,
  refused: 1,
  findings: [finding()],
  findingCount: 1,
  ...more,
});

it("shows each client's verdict in words, and its findings with remedy and source when it is opened", async () => {
  const zed = verdict({ client: "zed", label: "Zed", verdict: "works", refused: 0, findings: [], findingCount: 0 });
  const fake = fakeApi({ "clients.verdicts": () => [verdict(), zed] });
  fake.render(<ClientFits part={{ server: "files" }} />);
  const row = await screen.findByRole("button", { name: /Cursor.*1 of 12 refused.*Works with changes/ });
  expect(screen.getByRole("button", { name: /Zed.*Works/ })).toBeTruthy();
  expect(screen.queryByRole("list", { name: "Findings for Cursor" })).toBeNull();
  fireEvent.click(row);
  const findings = within(screen.getByRole("list", { name: "Findings for Cursor" }));
  expect(row.getAttribute("aria-expanded")).toBe("true");
  expect(findings.getByText(/Cursor takes 59 and refuses it/)).toBeTruthy();
  expect(findings.getByRole("link", { name: "long_name" }).getAttribute("href")).toBe("/tools/files__long_name");
  expect(findings.getByRole("link", { name: "Rename in a toolset" }).getAttribute("href")).toBe(
    "/toolsets/new?tool=files__long_name",
  );
  expect(findings.getByRole("link", { name: "Source, read 2026-11-30" }).getAttribute("href")).toBe(
    "https://example.com/rule",
  );
  expect(fake.calls.map(({ path }) => path)).toEqual(["clients.verdicts"]);
});

it("reads the findings that the overview does not have, and leads to the toolset that is checked", async () => {
  const all = verdict({ findings: [finding(), finding({ tool: "other_name" })], findingCount: 2 });
  const fake = fakeApi({
    "clients.verdicts": () => [verdict({ findingCount: 2 })],
    "clients.verdict": () => all,
  });
  fake.render(<ClientFits part={{ toolset: "support" }} />);
  fireEvent.click(await screen.findByRole("button", { name: /Cursor/ }));
  await screen.findByRole("link", { name: "other_name" });
  expect(fake.calls.at(-1)).toEqual({ path: "clients.verdict", input: { toolset: "support", program: "cursor" } });
  for (const link of screen.getAllByRole("link", { name: "Rename in a toolset" })) {
    expect(link.getAttribute("href")).toBe("/toolsets/support");
  }
});

it("says what a client does with its last list, and nothing for a program without known rules", async () => {
  const client = { id: "c1", name: "cursor-vscode", lastList: { hash: "h", tools: [], leftOut: [], leftOutCount: 0 } };
  fakeApi({ "clients.fit": () => ({ listedAt: 1, verdict: verdict() }) }).render(<GivenFit client={client as never} />);
  const card = await screen.findByRole("region", { name: "What it does with its last list" });
  expect(await within(card).findByText("1 of 12 tools refused")).toBeTruthy();
  const unknown = fakeApi({ "clients.fit": () => ({ listedAt: 1, verdict: null }) });
  const { container } = unknown.render(<GivenFit client={client as never} />);
  await expect.poll(() => container.textContent).toBe("");
});
