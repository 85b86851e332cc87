import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { runTool } from "./support/api";
import { expectAccessible } from "./support/axe";
import { expect, test } from "./support/fixtures";

test("an admin adds a webhook, sees its secret once, sends a test, and a failed call arrives signed", async ({
  page,
  startServer,
  allowProblems,
}) => {
  // What cannot be saved is said by the server.
  allowProblems(/status of 400/);
  const received: { headers: Record<string, string>; body: string }[] = [];
  const receiver = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => {
      received.push({ headers: request.headers as Record<string, string>, body });
      response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  try {
    const { url } = await startServer();
    await page.goto(`${url}/settings/webhooks`);
    await page.getByRole("button", { name: "Add webhook" }).click();
    const dialog = page.getByRole("dialog", { name: "Add webhook" });
    await dialog.getByRole("button", { name: "Add" }).click();
    await expect(dialog).toContainText("must be an http or https address");
    await dialog.getByLabel("URL").fill(`http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`);
    await dialog.getByLabel("Execution failed").check();
    await expectAccessible(page);
    await dialog.getByRole("button", { name: "Add" }).click();
    const shown = page.getByRole("dialog", { name: "Signing secret" });
    const secret = (await shown.locator("code").first().textContent()) ?? "";
    expect(secret).toMatch(/^whsec_/);
    await shown.getByRole("button", { name: "Done" }).click();
    await page.getByRole("button", { name: "Send test" }).click();
    await expect(page.getByText("The receiver answered 204")).toBeVisible();
    await runTool(url, "get_weather", { units: "kelvin" });
    await expect.poll(() => received.length).toBe(2);
    const types = received.map(
      ({ body, headers }) => (new Webhook(secret).verify(body, headers) as { type: string }).type,
    );
    expect(types).toEqual(["test", "execution.failed"]);
    await page.getByRole("button", { name: "Deliveries" }).click();
    await expect(page.getByRole("list", { name: "Deliveries" }).getByRole("listitem")).toHaveCount(2);
    await expectAccessible(page);
    await expect(page.locator("main")).not.toContainText(secret);
  } finally {
    receiver.closeAllConnections();
    receiver.close();
  }
});
