import { expect, it } from "vitest";
import { removeOptionalNulls } from "./gateway-requests";

it.each([
  [
    { id: 1, result: { _meta: null, content: { age: null } }, error: null, method: null },
    { id: 1, result: { content: { age: null } } },
  ],
  [
    { id: 1, result: null, error: { code: -1, message: "no" } },
    { id: 1, error: { code: -1, message: "no" } },
  ],
  [
    { id: 1, result: null, error: null },
    { id: 1, result: null },
  ],
])("an answer of a client with the nulls of its library is read: %j", (message, read) => {
  removeOptionalNulls(message);
  expect(message).toEqual(read);
});
