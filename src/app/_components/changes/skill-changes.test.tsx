// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { SkillChange } from "@/lib/contract/skill-change";
import { SkillChangeCard } from "./skill-change-card";

const change = (more: Partial<SkillChange> = {}): SkillChange => ({
  server: "docs",
  uri: "skill://refunds/SKILL.md",
  name: "refunds",
  description: "How to refund",
  status: "open",
  kind: "changed",
  reason: null,
  hash: "h2",
  files: [{ path: "SKILL.md", change: "changed" }],
  heldAt: 1,
  decidedBy: null,
  decidedAt: null,
  ...more,
});
const file = (text: string) => ({
  path: "SKILL.md",
  uri: "skill://refunds/SKILL.md",
  digest: `sha256:${text}`,
  size: 1,
  mediaType: "text/markdown",
  text,
});

it("a version of a skill is compared by its files and the listed front matter, and decided by its hash", async () => {
  const fake = fakeApi({
    "changes.skillVersions": () => ({
      before: { listed: '{ "description": "Before" }', files: [file("Ask first.")] },
      after: { listed: '{ "description": "After" }', files: [file("Never ask.")] },
    }),
    "changes.decideSkills": () => ({ decided: ["skill://refunds/SKILL.md"], missed: [] }),
  });
  fake.render(<SkillChangeCard change={change()} />);
  const card = within(await screen.findByRole("region", { name: "Change of the skill refunds" }));
  expect(card.getByText("SKILL.md differs. Clients keep the approved version.")).toBeTruthy();
  fireEvent.click(card.getByRole("button", { name: "Compare files of refunds" }));
  expect(await card.findByRole("region", { name: "SKILL.md compared" })).toBeTruthy();
  expect(await card.findByRole("region", { name: "Front matter in the list compared" })).toBeTruthy();
  fireEvent.click(card.getByRole("button", { name: /^Reject/ }));
  await expect
    .poll(() => fake.calls.find(({ path }) => path === "changes.decideSkills")?.input)
    .toEqual({
      name: "docs",
      decision: "block",
      skills: [{ uri: "skill://refunds/SKILL.md", hash: "h2", status: "open" }],
    });
});

it("a version that is withheld says why and has no decision, and a removal is approved as one", async () => {
  const fake = fakeApi({});
  const reason = "its files are generated with each read";
  fake.render(
    <>
      <SkillChangeCard change={change({ status: "withheld", reason })} />
      <SkillChangeCard change={change({ name: "returns", kind: "removed", files: [] })} />
    </>,
  );
  const withheld = within(await screen.findByRole("region", { name: "Change of the skill refunds" }));
  expect(withheld.getByText(`It can't be approved: ${reason}.`)).toBeTruthy();
  expect(withheld.queryByRole("button")).toBeNull();
  const removed = within(screen.getByRole("region", { name: "Change of the skill returns" }));
  expect(removed.getByRole("button", { name: "Approve removal of the skill returns" })).toBeTruthy();
  expect(removed.getByRole("button", { name: /^Keep the skill/ })).toBeTruthy();
});
