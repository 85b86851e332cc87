// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { DatabaseAlert } from "./frame";

it("says on every open page that calls are refused when the database file is gone, and what to do", async () => {
  let databaseProblem: string | null = null;
  const api = fakeApi({ "system.info": () => ({ databaseProblem }) });
  api.render(<DatabaseAlert />);
  await waitFor(() => expect(api.calls).toHaveLength(1));
  expect(screen.queryByRole("alert")).toBeNull();

  databaseProblem = "The database file /data/toolroom.db was deleted while Toolroom was running. Restart Toolroom.";
  api.emit({ type: "reset" });
  expect((await screen.findByRole("alert")).textContent).toBe(`Database unavailable${databaseProblem}`);
});
