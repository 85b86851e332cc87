import { expect, it } from "vitest";
import { createEvent } from "./event";

it("calls every listener at once, waits for all of them, and leaves out one that has ended", async () => {
  const event = createEvent<[name: string]>();
  const heard: string[] = [];
  let release = (): void => {};
  const slow = new Promise<void>((resolve) => {
    release = resolve;
  });
  event.on((name) => heard.push(name));
  event.on(() => slow);
  const end = event.on((name) => heard.push(`again ${name}`));
  let handled = false;
  const emitted = event.emit("first").then(() => {
    handled = true;
  });
  expect(heard).toEqual(["first", "again first"]);
  await Promise.resolve();
  expect(handled).toBe(false);
  release();
  await emitted;
  end();
  await event.emit("second");
  expect(heard).toEqual(["first", "again first", "second"]);
});
