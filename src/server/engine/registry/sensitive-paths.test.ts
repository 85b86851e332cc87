import { expect, it } from "vitest";
import { toolWith } from "../masking/masking.test-support";
import { checkDefinition } from "./check-definition";

const findProblems = (sensitive: unknown) => checkDefinition({ ...toolWith({}), sensitive }, () => null);

it("a definition may list paths of masked values, and each wrong one is named with what it must be", () => {
  expect(findProblems({ arguments: ["/password", "/users/*/a~1b"], results: [] })).toEqual([]);
  expect(findProblems({ arguments: ["/ok", "password"], results: "/token" })).toEqual([
    { path: "sensitive.arguments[1]", message: 'must be a path such as /password or /users/*/token, got "password"' },
    { path: "sensitive.results", message: "must be a list of paths such as /password" },
  ]);
  expect(findProblems([])).toHaveLength(1);
});
