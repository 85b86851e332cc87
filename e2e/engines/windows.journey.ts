import { runTool } from "../support/api";
import { expect, test } from "./fixtures";

test("EXE-06 eight windows are live at once, each loads and calls, also when the first is closed", async ({
  tab,
  server: { url },
}) => {
  const windows = [await tab.currentWindow()];
  await tab.visit("/executions");
  while (windows.length < 8) {
    windows.push(await tab.newWindow());
    await tab.visit("/executions");
    expect(await tab.evaluate(async () => (await fetch("/api/v1/tools?limit=1")).status)).toBe(200);
  }
  const last = windows.pop() ?? "";
  const first = windows.shift() ?? "";
  await tab.switchTo(first);
  await tab.closeWindow();
  await tab.switchTo(last);
  const { id } = await runTool(url, "echo", { message: "to all windows" });
  await expect
    .poll(() => tab.evaluate((wanted) => document.querySelector(`tr[data-execution="${wanted}"]`) !== null, id))
    .toBe(true);
  await tab.isLive();
  for (const each of windows) {
    await tab.switchTo(each);
    await tab.closeWindow();
  }
  await tab.switchTo(last);
});
