// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { Pause } from "@/lib/contract/pause";
import { PausedAlert } from "./frame";

it("says on every page that a restored copy is paused and what waits, until an admin makes it the original", async () => {
  let paused: Pause | null = { reason: "restored", at: 1_795_000_000_000, source: "toolroom-2026-12-24.db" };
  const api = fakeApi({
    "system.info": () => ({ paused }),
    "system.resume": () => {
      const resumed = paused;
      paused = null;
      return resumed;
    },
  });
  api.render(<PausedAlert />);
  const text = (await screen.findByRole("alert")).textContent;
  for (const word of ["toolroom-2026-12-24.db", "schedules", "webhooks", "retention"]) expect(text).toContain(word);
  fireEvent.click(screen.getByRole("button", { name: "Make this the original…" }));
  fireEvent.click(await screen.findByRole("button", { name: "Make original" }));
  await waitFor(() => expect(screen.queryByText(/database is a copy/)).toBeNull());
  expect(api.calls.map(({ path }) => path)).toContain("system.resume");
});
