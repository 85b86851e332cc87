import { expect, it } from "vitest";
import { fieldOf, problemsOf } from "./problem-fields";

it.each([
  ["name must be a non-empty string", "name"],
  ["name 'echo' is already taken by a tool from console", "name"],
  ["implementation.handler is required for builtin: the name of a registered handler", "implementation.handler"],
  ["implementation.type must be one of …", "implementation"],
  ['parameters.type must be "object", got nothing', "parameters"],
  ["annotations.readOnlyHint must be true or false", "annotations"],
  ["handler must be a string (a label of your own, such as the name)", "handler"],
  ["HTTP tools not yet supported (coming in v2)", null],
  ["names are fine", null],
])("puts “%s” beside %s", (problem, field) => {
  expect(fieldOf(problem)).toBe(field);
});

it("gathers the problems of several fields", () => {
  expect(problemsOf(["name x", "tags y", "title z"], "name", "title")).toEqual(["name x", "title z"]);
});
