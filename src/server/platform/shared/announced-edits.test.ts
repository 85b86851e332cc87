import { expect, it } from "vitest";
import { createEdits } from "./announced-edits";

it("an edit is announced once when it wrote something, also where it fails afterwards, and never when refused", async () => {
  let announced = 0;
  const { edit } = createEdits(() => {
    announced += 1;
  });
  await edit(async (change) => {
    change.mark();
    change.mark();
  });
  expect(announced).toBe(1);
  await expect(edit(async () => Promise.reject(new Error("refused")))).rejects.toThrow("refused");
  expect(announced).toBe(1);
  const failed = edit(async (change) => {
    change.mark();
    throw new Error("the disk is full");
  });
  await expect(failed).rejects.toThrow("full");
  expect(announced).toBe(2);
});

it("edits run one at a time; one whose caller keeps the order does not wait for them", async () => {
  const { edit, editAtOnce } = createEdits(() => undefined);
  const order: string[] = [];
  let release = (): void => {};
  const first = edit(async () => {
    await new Promise<void>((resolve) => {
      release = resolve;
    });
    order.push("first");
  });
  const second = edit(async () => void order.push("second"));
  await editAtOnce(async () => void order.push("list"));
  release();
  await Promise.all([first, second]);
  expect(order).toEqual(["list", "first", "second"]);
});
