import { callApi, runTool } from "../support/api";
import { createPurge, startRun, whenAsked, whenRun } from "../support/runs";
import { addServer, scripted } from "../support/servers";
import { expect, test } from "./fixtures";

const SIZES = [
  [1280, 800],
  [375, 740],
] as const;

/** The pages of a console with something on each. */
async function fill(url: string): Promise<string[]> {
  const { id } = await runTool(url, "get_weather", { location: "Oslo" });
  const replay = await callApi<{ id: string }>(url, "executions.replay", { id });
  await addServer(url, scripted("echo"));
  const run = await startRun(url, "what is 12*7");
  await whenRun(url, run, "succeeded");
  await createPurge(url, "purge_seen");
  await callApi(url, "toolsets.create", { name: "few", tools: ["echo"] });
  await runTool(url, "purge_seen", { folder: "old" }, { waitMs: 0 });
  const { executionId } = await whenAsked(url, "purge_seen");
  return [
    "/",
    "/tools",
    "/tools/new",
    "/tools/get_weather",
    "/tools/get_weather?tab=definition",
    "/executions?tool=get_weather",
    "/tools/get_weather?tab=statistics",
    "/executions",
    `/executions?peek=${id}`,
    `/executions/${id}`,
    `/executions/${id}?tab=edit`,
    `/compare?left=${id}&right=${replay.id}`,
    "/servers",
    "/servers/new",
    "/servers/new?tab=paste",
    "/servers/echo",
    "/servers/echo?tab=log&show=messages",
    "/servers/echo/edit",
    "/playground",
    `/playground?run=${run}`,
    "/runs",
    `/runs/${run}`,
    "/approvals",
    `/approvals?id=${executionId}`,
    "/approvals/rules",
    "/approvals/rules/spend",
    "/approvals/rules?rule=new",
    "/toolsets",
    "/toolsets/few",
    "/suites",
    "/cassettes",
    "/clients",
    "/settings",
    "/settings/installation",
    "/settings/registry",
    "/settings/models",
    "/settings/storage",
    "/settings/webhooks",
    "/alerts",
    "/settings/audit",
    "/settings/sharing",
  ];
}

test("REG-02 at the centre of every control of every page, wide and at 375 px, a pointer hits that control", async ({
  tab,
  server: { url },
}) => {
  test.setTimeout(300_000);
  const found: string[] = [];
  let controls = 0;
  for (const address of await fill(url)) {
    await tab.visit(address);
    for (const [width, height] of SIZES) {
      await tab.resize(width, height);
      await expect.poll(async () => (await tab.covered()).controls, address).toBeGreaterThan(3);
      const seen = await tab.covered();
      controls += seen.controls;
      found.push(...seen.covered.map((each) => `${address} at ${width} px: ${each}`));
    }
  }
  expect(found).toEqual([]);
  expect(controls).toBeGreaterThan(1_000);
});
