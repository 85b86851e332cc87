import { callApi } from "./support/api";
import { expect, test } from "./support/fixtures";
import { expectStatus, locateCall, turn } from "./support/playground";
import { DEMO, listExecutions } from "./support/runs";
import { open } from "./support/servers";
import { shareToolroom } from "./support/toolroom";

const toolroom = shareToolroom();

test("AGT-13 a query whose wake phrase is cut in two is answered with a tool, in a run that the list has", async ({
  page,
}) => {
  const { url } = toolroom;
  const settings = { ...DEMO, title: "Standup", silenceMs: 300 };
  const { id } = await callApi<{ id: string }>(url, "transcripts.create", { settings });
  const say = (text: string) =>
    callApi<{ runs: string[] }>(url, "transcripts.append", { id, segments: [{ text, speaker: "Ana" }] });
  expect(await say("Let us begin. Hey tool")).toEqual({ runs: [] });
  const { runs } = await say("room, what is 12*7?");
  await open(page, `${url}/runs/transcripts/${id}`);
  await expect(page).toHaveURL(`${url}/runs?source=background`);
  await page.getByRole("link", { name: "what is 12*7?" }).click();
  await expect(page).toHaveURL(new RegExp(`/runs/${runs[0]}`));
  await expectStatus(locateCall(turn(page, 1), "calculator"), "succeeded");
  await expect(turn(page, 1)).toContainText("84");
  expect(await listExecutions(url, runs[0] ?? "")).toMatchObject([{ toolName: "calculator", status: "succeeded" }]);
});
