// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { recordingLogger } from "@/server/engine/recording-logger.test-support";
import { DiskSpace } from "@/server/platform/db/disk-space";
import { DiskWarning } from "./settings-view";

it("a disk that fills up is stated first, then what to do, with the way to the executions", () => {
  const disk = new DiskSpace("/data/toolroom.db", recordingLogger(), () => ({
    free: 10 * 1024 ** 3,
    total: 1024 ** 4,
  }));
  disk.close();
  fakeApi({}).render(<DiskWarning warning={disk.state().warning ?? ""} />);
  expect(screen.getByText("99% of the disk of the database is used: 10 GiB free.")).toBeDefined();
  expect(document.body.textContent).toContain("Free some space on that disk, or delete executions in Executions.");
  expect(screen.getByRole("link", { name: "Executions" }).getAttribute("href")).toBe("/executions");
});
