import { readFile, writeFile } from "node:fs/promises";
import type { CatalogFile } from "../src/lib/contract/catalog-file";
import { expect, test } from "./support/fixtures";

test("a catalog is exported, changed, and imported with a conflict that the user decides", async ({
  page,
  startServer,
}, testInfo) => {
  const server = await startServer();
  const definition = {
    name: "find_customer",
    description: "Finds a customer by name",
    type: "function",
    handler: "find_customer",
    parameters: { type: "object", properties: { name: { type: "string", description: "Who" } } },
    implementation: { type: "mock", mock_response: "Ada" },
  };
  const created = await page.request.post(`${server.url}/api/trpc/tools.create`, {
    data: { json: { definition: JSON.stringify(definition) } },
  });
  expect(created.ok()).toBe(true);
  const toolset = await page.request.post(`${server.url}/api/trpc/toolsets.create`, {
    data: { json: { name: "find_set", tools: ["find_customer"] } },
  });
  expect(toolset.ok()).toBe(true);

  await page.goto(`${server.url}/settings/sharing`);
  await page.getByLabel("Search what to export").fill("find_");
  await expect(page.getByText("1 tool, 0 servers, 1 toolset")).toBeVisible();
  const download = page.waitForEvent("download");
  await page.getByRole("button", { name: "Download" }).click();
  const file = JSON.parse(await readFile(await (await download).path(), "utf8")) as CatalogFile;
  expect(file.tools.map((tool) => tool.definition)).toEqual([definition]);

  expect(file.toolsets?.map(({ name, tools }) => [name, tools])).toEqual([["find_set", ["find_customer"]]]);

  const [exported] = file.tools;
  if (exported === undefined) throw new Error("The export has no tool");
  const changed = { ...definition, implementation: { type: "mock", mock_response: "Bo" } };
  const weather = { ...definition, name: "get_weather" };
  const text = { ...file, tools: [changed, weather].map((each) => ({ ...exported, definition: each })) };
  text.toolsets = [{ ...file.toolsets?.[0], name: "found_set" } as NonNullable<typeof file.toolsets>[number]];
  const path = testInfo.outputPath("catalog.json");
  await writeFile(path, JSON.stringify(text));
  await page.getByLabel("Open a file").setInputFiles(path);
  const preview = page.getByRole("table", { name: "Preview of the import" });
  await expect(preview.getByText("implementation changed")).toBeVisible();
  await expect(preview.getByText("which cannot be replaced")).toBeVisible();
  const run = page.getByRole("button", { name: /^Import \d/ });
  await expect(run).toBeDisabled();
  await page.getByLabel("Import of tool find_customer").selectOption("Replace");
  await page.getByLabel("Import of tool get_weather").selectOption("Import as…");
  await page.getByLabel("New name of tool get_weather").fill("my_weather");
  await run.click();

  const result = page.getByRole("region", { name: "Import result" });
  await expect(result.getByText("3 entries imported")).toBeVisible();
  await result.getByRole("link", { name: "find_customer" }).click();
  await page.getByRole("button", { name: /^Run (⌘|Ctrl\+)↵$/ }).click();
  await expect(page.getByText("Bo", { exact: false }).first()).toBeVisible();
  await page.goto(`${server.url}/toolsets/found_set`);
  await expect(page.getByRole("list", { name: "Tools of the set" })).toContainText("find_customer");
  await page.goto(`${server.url}/tools/my_weather`);
  await expect(page.getByRole("heading", { name: "my_weather" })).toBeVisible();
});
