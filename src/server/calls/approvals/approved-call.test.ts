import { expect, it } from "vitest";
import { readEdit } from "./approved-call";

const stored = { argumentsText: '{"id": 9007199254740993, "rate": 1}' } as Parameters<typeof readEdit>[0];

it.each(['{"id": 9007199254740992, "rate": 1}', '{"id": 9007199254740993, "rate": 1.0}'])(
  "EXE-06 an edit of a digit that a parsed number cannot hold is an edit: %s",
  async (edited) => {
    expect((await readEdit(stored, edited))?.text).toBe(edited);
  },
);

it("EXE-06 another layout of the same arguments is no edit", async () => {
  expect(await readEdit(stored, '{"id":9007199254740993,"rate":1}')).toBeNull();
});
