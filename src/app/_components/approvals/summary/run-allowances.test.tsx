// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import type { RunAllowance } from "@/lib/contract/approval";
import { RunAllowances } from "./run-allowances";

it("AGT-05 a run says which tools are always allowed in it, by whom, and revokes that", async () => {
  let items: RunAllowance[] = [
    { executionId: "exec_first0000", toolName: "wipe", grantedAt: Date.now(), grantedBy: { id: "ada", name: "Ada" } },
  ];
  const api = fakeApi({
    "approvals.allowances": () => ({ items: [...items] }),
    "approvals.revokeAllowance": () => {
      items = [];
      return { revoked: true };
    },
  });
  api.render(<RunAllowances runId="run_aaaaaaaa1" />);
  await screen.findByText(/by Ada/);
  fireEvent.click(screen.getByRole("button", { name: "Revoke wipe" }));
  await waitFor(() => expect(screen.queryByRole("region", { name: /^Always allowed/ })).toBeNull());
  expect(api.calls.find(({ path }) => path === "approvals.revokeAllowance")?.input).toEqual({
    executionId: "exec_first0000",
  });
});
