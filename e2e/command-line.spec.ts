import { execFile } from "node:child_process";
import path from "node:path";
import { promisify } from "node:util";
import { getApiToken } from "./support/accounts";
import { callApi, runTool } from "./support/api";
import { expect, test } from "./support/fixtures";
import { open } from "./support/servers";

const MESSAGE = `it's "quoted" $HOME \`date\` \\ !`;

test("a call that is copied as a command line is made again by a shell, with the same arguments and recorded", async ({
  page,
  context,
  sharedServer: { url },
}) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { id } = await runTool(url, "echo", { message: MESSAGE });
  await open(page, `${url}/executions/${id}`);
  await page.getByRole("button", { name: "Copy", exact: true }).click();
  await page.getByRole("menuitem", { name: "Copy as command line" }).click();
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  await expect.poll(clipboard).toContain("toolroom call echo");

  const env = { ...process.env, TOOLROOM_URL: url, TOOLROOM_API_TOKEN: getApiToken(url) ?? "" };
  // In a clone the command has no name of its own.
  const program = `toolroom() { "${process.execPath}" "${path.resolve("scripts/toolroom.mjs")}" "$@"; }`;
  const { stdout } = await promisify(execFile)("bash", ["-c", `${program}\n${await clipboard()}`], { env });
  expect(JSON.parse(stdout)).toEqual({ echo: { message: MESSAGE } });

  interface Page {
    items: { id: string }[];
  }
  const filter = { tool: ["echo"], source: ["api"] };
  const { items } = await callApi<Page>(url, "executions.list", { filter }, "GET");
  const { stdout: compared } = await promisify(execFile)(
    "bash",
    ["-c", `${program}\ntoolroom executions compare ${id} ${items[0]?.id} --json`],
    { env },
  );
  expect(JSON.parse(compared)).toMatchObject({ arguments: { identical: true }, outcome: { identical: true } });
});
