import { readFile } from "node:fs/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { authorize } from "./support/accounts";
import { runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { expectStatus, locateCall, readRunId, say, turn } from "./support/playground";
import { open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

async function connect(address: string): Promise<Client> {
  const client = new Client({ name: "agent", version: "1" }, { versionNegotiation: { mode: "auto" } });
  const requestInit = { headers: authorize(toolroom.url) as Record<string, string> };
  await client.connect(new StreamableHTTPClientTransport(new URL(address, toolroom.url), { requestInit }));
  return client;
}

test("recorded calls become a cassette, an agent runs against it, and its report names what was missed", async ({
  page,
  allowProblems,
}) => {
  // What cannot be saved is said by the server.
  allowProblems(/status of 400/);
  const { url } = toolroom;
  await runTool(url, "get_weather", { location: "Oslo", units: "celsius" });
  await runTool(url, "get_weather", { location: "Lima" });
  await open(page, `${url}/executions?tool=get_weather`);
  await page.getByRole("button", { name: "Actions" }).click();
  await page.getByRole("menuitem", { name: "Record as a cassette…" }).click();
  const dialog = page.getByRole("dialog", { name: "Record cassette" });
  await expect(dialog.getByRole("status")).toContainText("2 calls of 1 tool");
  await dialog.getByRole("button", { name: "Record" }).click();
  await expect(dialog).toContainText("must be 1 to 64 letters");
  await dialog.getByLabel("Name").fill("weather");
  await expectAccessible(page);
  await dialog.getByRole("button", { name: "Record" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("weather");
  await expect(page.getByText("Not used yet")).toBeVisible();

  const client = await connect("/mcp/cassettes/weather?session=journey");
  const recorded = await client.callTool({ name: "get_weather", arguments: { units: "celsius", location: "Oslo" } });
  expect(JSON.stringify(recorded)).not.toContain("isError");
  const missed = await client.callTool({ name: "get_weather", arguments: { location: "Rome" } });
  expect(missed.isError).toBe(true);
  await client.close();

  const session = page.getByRole("button", { name: /journey/ });
  await expect(session).toContainText("1 of 2 used · 1 miss");
  await session.click();
  const requests = page.getByRole("list", { name: "Requests" });
  await expect(requests.getByRole("listitem").first()).toContainText('/location: recorded "Lima", received "Rome"');
  await expect(page.getByText("1 unused recording")).toBeVisible();
  const calls = page.getByRole("list", { name: "Recorded calls" });
  await calls.getByText("get_weather").first().click();
  await expect(page.getByLabel("Arguments of call 1")).toContainText("Oslo");
  await expectAccessible(page);

  await page.getByRole("button", { name: "Edit" }).click();
  const edit = page.getByRole("dialog", { name: "Edit cassette" });
  await edit.getByLabel("Ignored argument paths").fill("location");
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(edit).toContainText("must be a JSON pointer such as /id");
  await edit.getByLabel("Ignored argument paths").fill("/location");
  await edit.getByRole("button", { name: "Save" }).click();
  await expect(edit).toBeHidden();
  const again = await connect("/mcp/cassettes/weather?session=ignoring");
  expect((await again.callTool({ name: "get_weather", arguments: { location: "Rome" } })).isError).toBeUndefined();
  await again.close();

  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: "Export file" }).click();
  const file = await (await downloading).path();
  const text = await readFile(file, "utf8");
  expect(text.split("\n")[0]).toContain('"ignore":["/location"]');
  await page.getByRole("button", { name: "Delete…" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await expect(page).toHaveURL(`${url}/cassettes`);
  await page.locator("input[type=file]").setInputFiles(file);
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("weather");
  const exported = await fetch(`${url}/api/v1/cassettes/weather/export`, { headers: authorize(url) });
  expect(await exported.text()).toBe(text);
});

test("a conversation of the Playground runs against a cassette", async ({ page }) => {
  const { url } = toolroom;
  await open(page, `${url}/playground`);
  await say(page, 'echo {"message":"recorded"}');
  await expectStatus(turn(page, 1), "succeeded");
  const id = await readRunId(page);
  await open(page, `${url}/executions?run=${id}`);
  await page.getByRole("button", { name: "Actions" }).click();
  await page.getByRole("menuitem", { name: "Record as a cassette…" }).click();
  const dialog = page.getByRole("dialog", { name: "Record cassette" });
  await dialog.getByLabel("Name").fill("talk");
  await dialog.getByRole("button", { name: "Record" }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText("talk");

  await open(page, `${url}/runs/${id}`);
  await page.getByRole("button", { name: "Step 1", exact: true }).click();
  await page.getByRole("menuitem", { name: "Rerun from here…" }).click();
  const rerun = page.getByRole("dialog", { name: "Rerun from step 1" });
  await rerun.getByRole("radio", { name: /^Answer from a cassette/ }).check();
  await rerun.getByLabel("Cassette", { exact: true }).selectOption("talk");
  await rerun.getByRole("button", { name: "Start" }).click();
  await expect(page).not.toHaveURL(`${url}/runs/${id}`);
  await expectStatus(locateCall(page.getByRole("tabpanel", { name: "Conversation" }), "echo"), "succeeded");
  await page.getByRole("link", { name: "talk", exact: true }).click();
  await expect(page.getByRole("button", { name: /run_/ })).toContainText("1 of 1 used · no misses");
  await expect(page.getByRole("list", { name: "Requests" })).toContainText("served");
});
