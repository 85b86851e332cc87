import { expect, it } from "vitest";
import { MAX_BATCH } from "@/lib/max-batch";
import { appRouter } from "@/server/main/api/root";
import { installRouter } from "@/server/main/current-router";
import { POST } from "./route";

installRouter(async () => appRouter);

it.each([true, false])(
  "a body with more keys than the console sends is refused before it is parsed (with its length: %s)",
  async (hasLength) => {
    const keys = Array.from(
      { length: 1001 },
      (_, at) => `{${Array.from({ length: 100 }, (_, key) => `"${at} ${key}":0`)}}`,
    );
    const body = `{"json":[${keys.join()}]}`;
    const response = await POST(
      new Request("http://localhost/api/trpc/executions.run", {
        method: "POST",
        body,
        headers: hasLength ? { "content-length": String(body.length) } : {},
      }),
    );
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { json: { message: string } } };
    expect(error.json.message).toBe("The objects in the text have more than 100,000 keys: send it in parts");
  },
);

it("a body with more lists than the console sends is refused before it is parsed", async () => {
  const body = `{"json":[${Array.from({ length: 100_001 }, () => "[]").join()}]}`;
  const response = await POST(new Request("http://localhost/api/trpc/executions.run", { method: "POST", body }));
  expect(response.status).toBe(400);
  const { error } = (await response.json()) as { error: { json: { message: string } } };
  expect(error.json.message).toBe("The text has more than 100,000 lists and objects: send it in parts");
});

it("a request with more calls than the console sends at once is refused", async () => {
  const names = Array.from({ length: MAX_BATCH + 1 }, () => "tools.list").join();
  const response = await POST(new Request(`http://localhost/api/trpc/${names}?batch=1&input=%7B%7D`));
  expect(response.status).toBe(400);
  expect(JSON.stringify(await response.json())).toContain("Batch call exceeds");
});
