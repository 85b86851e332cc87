// @vitest-environment happy-dom
import { QueryObserver } from "@tanstack/react-query";
import { afterEach, describe, expect, it, vi } from "vitest";
import { makeQueryClient } from "./query-client";

function answer(httpStatus: number): Promise<unknown> {
  const rejectQuery = (): Promise<never> =>
    Promise.reject(Object.assign(new Error("refused"), { data: { httpStatus } }));
  return makeQueryClient()
    .fetchQuery({ queryKey: ["any"], queryFn: rejectQuery })
    .catch(() => null);
}

afterEach(() => {
  vi.restoreAllMocks();
  window.history.replaceState(null, "", "/");
});

describe("a read that is refused", () => {
  it("opens the sign-in page, which leads back, where the session has ended", async () => {
    window.history.replaceState(null, "", "/tools?q=echo");
    const opened = vi.spyOn(window.location, "assign").mockImplementation(() => undefined);
    await answer(401);
    expect(opened.mock.calls).toEqual([["/sign-in?to=%2Ftools%3Fq%3Decho"]]);
  });

  it("stays on its page where the user may not read it", async () => {
    const opened = vi.spyOn(window.location, "assign").mockImplementation(() => undefined);
    await answer(403);
    expect(opened).not.toHaveBeenCalled();
  });
});

it("an event during the first fetch of a query makes it fetch again", async () => {
  const client = makeQueryClient();
  const responses: ((value: string) => void)[] = [];
  const queryFn = (): Promise<string> => new Promise((resolve) => responses.push(resolve));
  const observer = new QueryObserver(client, { queryKey: ["live"], queryFn });
  const stop = observer.subscribe(() => undefined);
  const invalidated = client.invalidateQueries({ queryKey: ["live"] });
  responses[0]?.("before");
  await vi.waitFor(() => expect(responses).toHaveLength(2));
  responses[1]?.("after");
  await invalidated;
  expect(observer.getCurrentResult().data).toBe("after");
  stop();
});
