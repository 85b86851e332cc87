import { describe, expect, it } from "vitest";
import { z } from "zod";
import { problemsOfIssues } from "./problem";

const getMessage = (schema: z.ZodType, value: unknown) =>
  problemsOfIssues(schema.safeParse(value).error?.issues ?? [])[0]?.message;

describe("problemsOfIssues", () => {
  it.each([
    [z.string().max(3), "long", "must have at most 3 characters"],
    [z.string().min(2), "a", "must have at least 2 characters"],
    [z.array(z.string()).max(1), ["a", "b"], "must have at most 1 entries"],
    [z.number().int().max(3), 4, "must be at most 3"],
    [z.number().positive(), 0, "must be more than 0"],
    [z.object({}), undefined, "is required"],
    [z.boolean(), {}, "must be of type boolean"],
    [z.number().int(), 1.5, "must be an integer"],
    [z.enum(["on", "off"]), "no", 'must be one of "on"|"off"'],
    [z.string().max(3, "is too long"), "long", "is too long"],
  ])("says what the value has to be (%#)", (schema, value, message) => {
    expect(getMessage(schema, value)).toBe(message);
  });
});
