import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { runButton } from "./support/arguments-editor";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";
import { expectConnection, open, tab } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

/** The API: it answers with the pet that it is asked for. */
let api: Server;
let origin = "";
test.beforeAll(async () => {
  api = createServer(({ url = "", headers }, response) => {
    const isKnown = headers["x-key"] === "key-4711";
    const body = isKnown ? { id: url.split("/").at(-1), name: "Rex" } : { message: "no key" };
    response.writeHead(isKnown ? 200 : 401, { "content-type": "application/json", etag: '"7"' });
    response.end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  origin = `http://127.0.0.1:${(api.address() as AddressInfo).port}`;
});
test.afterAll(() => {
  api.closeAllConnections();
  api.close();
});

const parameter = (name: string, where: string, required: boolean) => ({
  name,
  in: where,
  required,
  schema: { type: "string" },
});
const pet = { type: "object", properties: { id: { type: "string" }, name: { type: "string" } }, required: ["id"] };
const documentText = (...more: object[]) =>
  JSON.stringify({
    openapi: "3.0.3",
    info: { title: "Pet shop", version: "1.2" },
    servers: [{ url: `${origin}/v1` }],
    paths: {
      "/pets/{id}": {
        get: {
          operationId: "getPet",
          summary: "One pet",
          tags: ["pets"],
          parameters: [parameter("id", "path", true), ...more],
          responses: { 200: { description: "", content: { "application/json": { schema: pet } } } },
        },
      },
      "/orders": { post: { operationId: "order", tags: ["orders"], responses: {} } },
    },
  });

test("an OpenAPI document is pasted, its operations are chosen by tag and run, and a changed document shows its changes", async ({
  page,
}) => {
  const { url } = toolroom;
  await open(page, `${url}/servers/new`);
  const form = page.getByRole("form", { name: "New server" });
  await form.getByRole("textbox", { name: /^Name( required)?$/ }).fill("shop");
  await form.getByRole("radio", { name: "OpenAPI", exact: true }).check();
  await form.getByRole("radio", { name: "Paste or upload" }).check();
  await form.getByRole("textbox", { name: /^Document( required)?$/ }).fill(documentText());
  await form.getByRole("button", { name: "Read document" }).click();
  await expect(form.getByRole("region", { name: "Document" })).toContainText(
    "Pet shop 1.2OpenAPI 3.0.3 · 2 operations",
  );
  await expect(form.getByRole("textbox", { name: /^Base URL/ })).toHaveValue(`${origin}/v1`);
  await form.getByRole("checkbox", { name: /^pets/ }).check();
  await form.getByRole("button", { name: "Add header" }).click();
  await form.getByLabel("Name of header 1").fill("X-Key");
  await form.getByLabel("Value of X-Key", { exact: true }).fill("key-4711");
  await expectAccessible(page);
  await form.getByRole("button", { name: /^Add and connect/ }).click();

  await expect(page).toHaveURL(`${url}/servers/shop`);
  await expectConnection(page, "connected");
  const tools = page.getByRole("tabpanel");
  await expect(tools.getByRole("link", { name: "getPet", exact: true })).toBeVisible();
  await expect(tools.getByText("order", { exact: true })).toHaveCount(0);

  await open(page, `${url}/tools/shop__getPet`);
  await page.getByLabel("id", { exact: true }).fill("a/7");
  await runButton(page).click();
  const result = page.getByRole("region", { name: "Result", exact: true });
  await expect(result.locator('[data-status="succeeded"]')).toBeVisible();
  await expect(result).toContainText("a%2F7");
  await result.getByRole("link", { name: "Open", exact: true }).first().click();
  const details = page.getByRole("region", { name: "Details" });
  await expect(details).toContainText("OpenAPI");
  await expect(details).toContainText("200 OK");
  await expect(details).toContainText('etag: "7"');

  await open(page, `${url}/servers/shop/edit`);
  const edit = page.getByRole("form", { name: "Edit shop" });
  const changed = documentText(parameter("owner", "query", true));
  await edit.getByRole("textbox", { name: /^Document( required)?$/ }).fill(changed);
  await edit.getByRole("button", { name: /^Save and reconnect/ }).click();
  await expect(page).toHaveURL(`${url}/servers/shop`);
  await tab(page, "Changes").click();
  await expect(page.getByRole("tabpanel")).toContainText("parameter 'owner' was added and is required");
  await page.goto(`${url}/servers/shop?tab=messages`);
  await page
    .getByRole("button", { name: /GET \/pets\/\{id\}/ })
    .last()
    .click();
  await expect(page.getByText(`${origin}/v1/pets/a%2F7`).first()).toBeVisible();
  await expect(page.getByText("key-4711")).toHaveCount(0);
});
