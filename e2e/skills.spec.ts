import { createHash } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { SkillsClient } from "@modelcontextprotocol/client/ext/skills";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { addServer, open, scriptFile } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();
const URI = "skill://refund-review/SKILL.md";

/** A file that is no text. */
const STAMP = { name: "stamp.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 255, 254, 1]) };

const write = (step: string): string =>
  `---\nname: refund-review\ndescription: Check a refund before it is paid\n---\n\n1. Read the order.\n2. ${step}\n`;

/** The digests and texts of the skill as an MCP client reads it. */
async function readAsClient(address = "/mcp", uri = URI) {
  const client = new Client({ name: "host", version: "1" });
  await client.connect(new StreamableHTTPClientTransport(new URL(address, toolroom.url)));
  try {
    const skills = new SkillsClient(client);
    const skill = (await skills.list()).skills.find((each) => each.uri === uri);
    if (skill === undefined) throw new Error(`${uri} is not listed`);
    const { contents } = await client.readResource({ uri });
    const [content] = contents;
    const text = content !== undefined && "text" in content ? String(content.text) : "";
    const resources = Array.isArray(skill.resources) ? skill.resources : [];
    return {
      body: (await skills.read(skill)).body,
      digest: `sha256:${createHash("sha256").update(text).digest("hex")}`,
      listed: resources.find((each) => each.uri === uri)?.digest,
    };
  } finally {
    await client.close();
  }
}

test("a skill made on its page is read at /mcp with its digest, and an edit is a version that can be compared and restored", async ({
  page,
}) => {
  await open(page, `${toolroom.url}/skills`);
  await page.getByRole("link", { name: "New skill" }).first().click();
  await page.getByRole("textbox", { name: "SKILL.md" }).fill(write("Compare the amounts."));
  await page.getByRole("button", { name: "New file" }).click();
  await page.getByLabel("Path of a new file").fill("references/limits.md");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("textbox", { name: "Text" }).fill("At most 200 EUR.");
  await page.getByLabel("Upload", { exact: true }).setInputFiles(STAMP);
  await page.getByRole("button", { name: /^Create skill/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: "refund-review" })).toBeVisible();
  await expect(page.getByRole("region", { name: "Files" }).getByRole("listitem")).toHaveCount(3);

  const first = await readAsClient();
  expect(first.body).toContain("Compare the amounts.");
  expect(first.listed).toBe(first.digest);

  await page.getByRole("textbox", { name: "SKILL.md" }).fill(write("Ask a second user."));
  await page.getByRole("button", { name: /^Save version/ }).click();
  await expect(page.getByText("refund-review saved as version 2")).toBeVisible();
  const second = await readAsClient();
  expect(second.body).toContain("Ask a second user.");
  expect(second.listed).toBe(second.digest);
  expect(second.digest).not.toBe(first.digest);

  await page.getByRole("tab", { name: /^Versions/ }).click();
  const changes = page.getByRole("region", { name: "SKILL.md", exact: true });
  await expect(changes).toContainText("Compare the amounts.");
  await expect(changes).toContainText("Ask a second user.");
  await page.getByRole("button", { name: /^Version 1/ }).click();
  await page.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Restore" }).click();
  await expect(page.getByRole("button", { name: /^Version 3/ })).toContainText("Restored");
  expect(await readAsClient()).toEqual(first);

  await open(page, `${toolroom.url}/executions`);
  await expect(page.getByRole("row").filter({ hasText: URI }).first()).toBeVisible();
});

test("a skill that its server changes reaches clients once a user has compared and approved its files", async ({
  page,
}, testInfo) => {
  const folder = testInfo.outputPath("skills");
  const publish = (step: string): void => {
    mkdirSync(path.join(folder, "refunds"), { recursive: true });
    const text = `---\nname: refunds\ndescription: How guides does refunds\nlicense: MIT\n---\n\n${step}\n`;
    writeFileSync(path.join(folder, "refunds/SKILL.md"), text);
  };
  const read = async () => (await readAsClient("/mcp/guides", "skill://refunds/SKILL.md")).body;
  publish("Ask above 50 EUR.");
  const args = [scriptFile("skilled"), "guides", `folder=${folder}`];
  await addServer(toolroom.url, { name: "guides", transport: "stdio", command: "node", args, changedTools: "review" });
  expect(await read()).toContain("Ask above 50 EUR.");

  publish("Never ask.");
  expect(await read()).toContain("Ask above 50 EUR.");
  await open(page, `${toolroom.url}/servers/guides`);
  await expect(page.getByText("1 changed skill to review")).toBeVisible();
  await page.getByRole("link", { name: "Review changes" }).click();
  const change = page.getByRole("region", { name: "Change of the skill refunds" });
  await expect(change.getByText("SKILL.md differs. Clients keep the approved version.")).toBeVisible();
  await change.getByRole("button", { name: /^Compare files/ }).click();
  const files = change.getByRole("region", { name: "SKILL.md compared" });
  await expect(files).toContainText("Ask above 50 EUR.");
  await expect(files).toContainText("Never ask.");
  await expectAccessible(page);
  await change.getByRole("button", { name: /^Reject/ }).click();
  await expect(change).toHaveAttribute("data-status", "cancelled");
  await expect(change.getByText("rejected by Local owner")).toBeVisible();
  expect(await read()).toContain("Ask above 50 EUR.");
  await change.getByRole("button", { name: /^Approve/ }).click();
  await expect(page.getByRole("heading", { name: "No changes to review" })).toBeVisible();
  expect(await read()).toContain("Never ask.");
});
