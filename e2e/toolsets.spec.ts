import { expect, test } from "./support/fixtures";
import { GATEWAY_CLIENTS } from "./support/gateway-clients";
import { open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

test("a toolset made on its page is served under its address, and a call through its search shows why it was made", async ({
  page,
}) => {
  await open(page, `${toolroom.url}/toolsets`);
  await page.getByRole("link", { name: "New toolset" }).first().click();
  await page.getByLabel(/^Name/).fill("weather");
  await page.getByLabel(/^Instructions/).fill("For questions about the weather");
  await page.getByRole("checkbox", { name: "echo" }).check();
  await page.getByText("Advanced").click();
  await page.getByLabel(/^Patterns/).fill("get_*");
  const tools = page.getByRole("list", { name: "Tools of the set" });
  await page.getByRole("textbox", { name: "Name of get_weather" }).fill("forecast");
  await tools.getByRole("button", { name: "arguments of get_weather" }).click();
  await page.getByRole("checkbox", { name: "Show units" }).uncheck();
  await page.getByLabel("Value of units").fill("celsius");
  await page.getByLabel("Discovery").check();
  await page.getByLabel("Ask for a reason").check();
  await expect(page.getByRole("list", { name: "Tools for clients" })).toContainText("search_tools");
  await expect(page.getByRole("table", { name: "Token cost" })).toContainText("Anthropic");
  await page.getByRole("button", { name: /^Create toolset/ }).click();
  await expect(page.getByRole("heading", { level: 1, name: "weather" })).toBeVisible();

  for (const { about, connect } of GATEWAY_CLIENTS) {
    const client = await connect(`${toolroom.url}/mcp/sets/weather`);
    try {
      expect(await client.listNames(), about).toEqual(["call_tool", "search_tools"]);
      const found = await client.call("search_tools", { query: "weather forecast" });
      expect(JSON.stringify(found.content)).toContain("forecast");
      expect(JSON.stringify(found.content)).not.toContain("fahrenheit");
      const args = { location: "Oslo", reason: `Planned by ${about}` };
      await client.call("call_tool", { name: "forecast", arguments: args });
    } finally {
      await client.close();
    }
  }

  await page.getByRole("link", { name: "Executions", exact: true }).last().click();
  const rows = page.getByRole("row").filter({ hasText: "get_weather" });
  await expect(rows).toHaveCount(GATEWAY_CLIENTS.length);
  await expect(rows.first()).toContainText("celsius");
  await expect(rows.first()).toContainText("as forecast");
  await page.getByRole("searchbox").fill("Planned by");
  await expect(page.getByRole("row").filter({ hasText: "search_tools" })).toHaveCount(0);
  await rows.first().getByRole("link").first().press("Enter");
  const details = page.getByRole("region", { name: "Details" });
  await expect(details).toContainText("Planned by");
  await expect(details).toContainText("forecast");
  await expect(details.getByRole("link", { name: "weather", exact: true })).toBeVisible();
});
