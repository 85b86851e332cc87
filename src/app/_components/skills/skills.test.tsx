// @vitest-environment happy-dom
import { fireEvent, screen, waitFor, within } from "@testing-library/react";
import { Suspense } from "react";
import { describe, expect, it } from "vitest";
import { findViolations } from "@/app/_kit/axe.test-support";
import { type FakeApi, type FakeProcedures, fakeApi, refusal } from "@/app/_kit/fake-api.test-support";
import type { OwnSkill } from "@/lib/contract/own-skill";
import { SkillView } from "./skill-view";
import { SkillsView } from "./skills-view";

const TEXT = "---\nname: steps\ndescription: How to\n---\n\nOne.\n";
const file = (path: string, text: string | null, digest: string) => ({
  path,
  uri: `skill://steps/${path}`,
  digest,
  size: 10,
  mediaType: text === null ? "image/png" : "text/markdown",
  text,
});
const SKILL: OwnSkill = {
  name: "steps",
  description: "How to",
  uri: "skill://steps/SKILL.md",
  version: 3,
  digest: "sha256:whole",
  fileCount: 3,
  bytes: 30,
  updatedAt: 1,
  updatedBy: "Ada",
  files: [file("SKILL.md", TEXT, "sha256:a"), file("old.md", "Old.", "sha256:b"), file("logo.png", null, "sha256:c")],
  lastEdit: { revision: 3, by: "Ada", at: 1 },
};

function open(more: FakeProcedures = {}, role: "admin" | "viewer" = "admin"): FakeApi {
  const fake = fakeApi({ "ownSkills.get": () => SKILL, ...more }, "", "live", role);
  fake.render(
    <Suspense fallback="Loading">
      <SkillView name="steps" />
    </Suspense>,
  );
  return fake;
}
const files = () => within(screen.getByRole("region", { name: "Files" }));
const findText = (name: string) => screen.findByRole<HTMLTextAreaElement>("textbox", { name });
const write = (control: HTMLElement, value: string) => fireEvent.change(control, { target: { value } });
const sent = (fake: FakeApi, path: string) => fake.calls.filter((call) => call.path === path).map(({ input }) => input);

describe("the editor of a skill", () => {
  it("sends changed text, stored bytes by their digest, and nothing of a removed file, with the version that was seen", async () => {
    const fake = open({
      "ownSkills.update": () => ({ ...SKILL, version: 4, lastEdit: { ...SKILL.lastEdit, revision: 4 } }),
    });
    write(await findText("SKILL.md"), TEXT.replace("One.", "Two."));
    fireEvent.click(files().getByRole("button", { name: "Remove old.md" }));
    fireEvent.click(screen.getByRole("button", { name: "New file" }));
    write(screen.getByLabelText("Path of a new file"), "references/new.md");
    fireEvent.click(screen.getByRole("button", { name: "Add" }));
    write(await findText("Text"), "New.");
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(sent(fake, "ownSkills.update")).toHaveLength(1));
    expect(sent(fake, "ownSkills.update")).toEqual([
      {
        name: "steps",
        revision: 3,
        files: [
          { path: "SKILL.md", text: TEXT.replace("One.", "Two.") },
          { path: "logo.png", digest: "sha256:c" },
          { path: "references/new.md", text: "New." },
        ],
      },
    ]);
  });

  it.each([
    ["../out.md", "must not have . or .."],
    ["skill.md", "is SKILL.md where letter case does not count"],
    ["old.md/more.md", "is in old.md, which is a file"],
    ["nul.txt", "Windows keeps for a device"],
  ])("refuses the path %s beside its field, and adds nothing", async (path, reason) => {
    open();
    await findText("SKILL.md");
    fireEvent.click(screen.getByRole("button", { name: "New file" }));
    const field = screen.getByLabelText("Path of a new file");
    write(field, path);
    fireEvent.keyDown(field, { key: "Enter" });
    expect(screen.getByText(new RegExp(reason.replaceAll(".", "\\.")))).toBeDefined();
    expect(field.getAttribute("aria-invalid")).toBe("true");
    expect(
      files()
        .getAllByRole("listitem")
        .filter((item) => item.querySelector("[data-row]")),
    ).toHaveLength(3);
  });

  it("shows what the server refuses, and sends the draft again once it is corrected", async () => {
    let attempts = 0;
    const fake = open({
      "ownSkills.update": () => {
        attempts += 1;
        if (attempts === 1) throw refusal({ path: "SKILL.md", message: "needs a description" });
        return SKILL;
      },
    });
    write(await findText("SKILL.md"), "---\nname: steps\n---\n");
    fireEvent.submit(screen.getByRole("form"));
    const problems = await screen.findByRole("list", { name: "Problems" });
    expect(problems.textContent).toContain("needs a description");
    write(await findText("SKILL.md"), TEXT.replace("One.", "Two."));
    expect(screen.queryByRole("list", { name: "Problems" })).toBeNull();
    fireEvent.submit(screen.getByRole("form"));
    await waitFor(() => expect(sent(fake, "ownSkills.update")).toHaveLength(2));
  });

  it("breaks no rule of accessibility, also while a new file is named and a binary file is open", async () => {
    open();
    await findText("SKILL.md");
    expect(await findViolations()).toEqual([]);
    fireEvent.click(screen.getByRole("button", { name: "New file" }));
    fireEvent.keyDown(screen.getByLabelText("Path of a new file"), { key: "Enter" });
    fireEvent.click(files().getByRole("button", { name: /^logo\.png/ }));
    await screen.findByText("Replace file");
    expect(await findViolations()).toEqual([]);
  });

  it("can be read and not changed by who may not edit", async () => {
    open({}, "viewer");
    expect((await findText("SKILL.md")).readOnly).toBe(true);
    expect(screen.queryByRole("button", { name: "New file" })).toBeNull();
    expect(screen.queryByRole("button", { name: "Remove old.md" })).toBeNull();
    expect(screen.getByRole("button", { name: /^Save version/ }).getAttribute("aria-disabled")).toBe("true");
  });
});

describe("the list of skills", () => {
  it("reads again when a skill changed, and leads to its page", async () => {
    const { files: _files, lastEdit: _edit, ...summary } = SKILL;
    let listed = [summary];
    const fake = fakeApi({ "ownSkills.list": () => listed });
    fake.render(
      <Suspense fallback="Loading">
        <SkillsView />
      </Suspense>,
    );
    const link = await screen.findByRole("link", { name: "steps" });
    expect(link.getAttribute("href")).toBe("/skills/steps");
    listed = [{ ...summary, name: "other-steps" }];
    fake.emit({ type: "skills" });
    await screen.findByRole("link", { name: "other-steps" });
  });
});
