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

it("says that the disk fills up, and once calls are refused, and leads to where space is freed", async () => {
  const disk = { warning: "81% of the disk is used.", refusesCalls: false } as {
    warning: string | null;
    refusesCalls: boolean;
  };
  const api = fakeApi({ "system.info": () => ({ databaseProblem: null, disk: { ...disk } }) });
  api.render(<DatabaseAlert />);
  await screen.findByText("The disk is filling up");
  expect(screen.getByRole("link", { name: "Open storage" }).getAttribute("href")).toBe("/settings/storage");
  disk.refusesCalls = true;
  api.emit({ type: "system" });
  await screen.findByText("New calls are refused: the disk is full");
  disk.warning = null;
  disk.refusesCalls = false;
  api.emit({ type: "system" });
  await waitFor(() => expect(screen.queryByText(/disk is/)).toBeNull());
});
