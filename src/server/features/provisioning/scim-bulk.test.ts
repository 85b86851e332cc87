import { expect, it } from "vitest";
import { answerBulk, type ResolvedOperation } from "./scim-bulk";

async function run(operations: object[], failOnErrors?: number) {
  const seen: ResolvedOperation[] = [];
  const body = await answerBulk(
    { Operations: operations, failOnErrors },
    "https://t/scim/v2",
    async (operation) => {
      seen.push(operation);
      return { status: 201, body: { id: `id-${seen.length}`, meta: { location: "https://t/x", version: "v" } } };
    },
    (error) => ({ status: (error as { status: number }).status, body: { detail: String(error) } }),
  );
  const answers = (body as { Operations: { bulkId: string; status: string }[] }).Operations;
  return { seen, statuses: answers.map(({ bulkId, status }) => [bulkId, status]) };
}
const post = (bulkId: string, data: unknown = {}) => ({ method: "post", path: "/Groups", bulkId, data });

it("runs an operation after those that it refers to, and answers in the order of the request", async () => {
  const { seen, statuses } = await run([post("a", { of: ["bulkId:b"] }), post("b", "bulkId:c"), post("c")]);
  expect(seen.map(({ data }) => data)).toEqual([{}, "id-1", { of: ["id-2"] }]);
  expect(statuses).toEqual([
    ["a", "201"],
    ["b", "201"],
    ["c", "201"],
  ]);
});

it("refuses operations that refer to each other, to themselves, or to nothing, and runs the others", async () => {
  const { seen, statuses } = await run([
    post("a", "bulkId:b"),
    post("b", "bulkId:a"),
    post("c", "bulkId:c"),
    post("d", "bulkId:none"),
    post("e"),
  ]);
  expect(statuses.map(([, status]) => status)).toEqual(["409", "409", "409", "409", "201"]);
  expect(seen).toHaveLength(1);
});

it("replaces the reference of a path, and takes a version", async () => {
  const put = { method: "PUT", path: "/Users/bulkId:a", version: "v1", data: {} };
  const { seen } = await run([put, post("a")]);
  expect(seen[1]).toEqual({ method: "PUT", kind: "Users", id: "id-1", version: "v1", data: {} });
});

it("refuses data that is nested too deeply", async () => {
  let data: unknown = "end";
  for (let depth = 0; depth < 50; depth += 1) data = [data];
  await expect(run([post("a", data)])).rejects.toThrow("nested too deeply");
});
