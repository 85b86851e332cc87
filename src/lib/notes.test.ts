import { expect, it } from "vitest";
import { createNotes } from "./notes";

it("EXE-06 a note is found at its object, replaced, and seen by nothing else", () => {
  const texts = createNotes<string>();
  const counts = createNotes<number>();
  const object = Object.freeze({ a: 1 });
  expect(texts.get(object)).toBeUndefined();
  texts.set(object, "first");
  texts.set(object, "second");
  counts.set(object, 3);
  expect([texts.get(object), counts.get(object)]).toEqual(["second", 3]);
  expect(texts.get({ ...object })).toBeUndefined();
  expect(Reflect.ownKeys(object)).toEqual(["a"]);
});
