import { callApi, mockTool, runTool } from "./support/api";
import { expect, test } from "./support/fixtures";
import { GATEWAY_CLIENTS, type GatewayClient } from "./support/gateway-clients";
import { open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

const connectSession = (url: string): Promise<GatewayClient> => {
  const [, session] = GATEWAY_CLIENTS;
  if (session === undefined) throw new Error("no client with sessions");
  return session.connect(url);
};

const ISSUES = {
  total: 2,
  items: [
    { id: 4711, title: "Broken", body: "long ".repeat(100), user: { login: "ada" } },
    { id: 4712, title: "Slow", body: "long ".repeat(100), user: { login: "bob" } },
  ],
};

test("a lens is tried on a stored result, MCP clients receive the projection, and the execution shows the whole", async ({
  page,
}) => {
  const { url } = toolroom;
  const definitionText = mockTool("list_issues", { type: "object" }, ISSUES);
  await callApi(url, "tools.create", { definition: definitionText });
  await runTool(url, "list_issues", {});

  await open(page, `${url}/tools/list_issues?tab=model`);
  const lens = page.getByRole("textbox", { name: "Lens" });
  await lens.fill("items[");
  await expect(page.getByText(/Syntax error/)).toBeVisible();
  await expect(page.getByRole("button", { name: "Save lens" })).toBeDisabled();
  await lens.fill("items[*].{id: id, user_login: user.login}");
  const preview = page.getByRole("region", { name: "Preview" });
  await expect(preview.getByRole("heading", { name: /^About \d+ → \d+ tokens \(−\d/ })).toBeVisible();
  await page.getByRole("button", { name: "Save lens" }).click();
  await expect(page.getByRole("button", { name: "Remove lens" })).toBeVisible();

  const client = await connectSession(`${url}/mcp?tools=list_issues`);
  try {
    expect(await client.listNames()).toEqual(["list_issues", "read_result"]);
    const { content } = (await client.call("list_issues", {})) as { content: { text: string }[] };
    const projection = [
      { id: 4711, user_login: "ada" },
      { id: 4712, user_login: "bob" },
    ];
    expect(JSON.parse(content[0]?.text ?? "")).toEqual(projection);
    const id = /execution_id "([^"]+)"/.exec(content[1]?.text ?? "")?.[1] ?? "";
    const whole = (await client.call("read_result", { execution_id: id })) as { content: { text: string }[] };
    expect(JSON.parse(whole.content[0]?.text ?? "")).toEqual(ISSUES);

    await open(page, `${url}/executions/${id}`);
    await expect(page.getByText("long long").first()).toBeVisible();
    await page.getByRole("tab", { name: "Model view" }).click();
    await expect(page.getByText("Reduced by a lens: items[*].{id: id, user_login: user.login}")).toBeVisible();
    await expect(page.getByText(JSON.stringify(projection))).toBeVisible();
  } finally {
    await client.close();
  }
});
