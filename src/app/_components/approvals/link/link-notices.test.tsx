// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { type FakeProcedures, fakeApi } from "@/app/_kit/fake-api.test-support";
import { AccessProvider } from "@/app/_ui/access";
import type { Role } from "@/lib/contract/access";
import { LinkNotices } from "./link-notices";

const CHANNEL = { id: "wh_1", description: "Phone", receiver: "https://hooks.example.org" };
const USE = {
  id: "x",
  executionId: "exec_1",
  toolName: "refund_order",
  status: "approved",
  address: "203.0.113.9",
  usedAt: Date.now(),
};

function show(procedures: FakeProcedures, role: Role = "operator") {
  fakeApi({ "webhooks.channels": () => [], "approvals.linkUses": () => [], ...procedures }).render(
    <AccessProvider principal={{ id: "edda", name: "Edda", role, token: null }}>
      <LinkNotices />
    </AccessProvider>,
  );
}

describe("notices about approval links", () => {
  it("ask the approver whom an admin named to confirm the receiver, or to decline", async () => {
    const asked: unknown[] = [];
    let isConfirmed = false;
    show({
      "webhooks.channels": () => [{ ...CHANNEL, isConfirmed }],
      "webhooks.confirmChannel": (input: unknown) => {
        asked.push(input);
        isConfirmed = true;
      },
    });
    await screen.findByText("https://hooks.example.org");
    expect(screen.getByRole("button", { name: "Decline" })).toBeTruthy();
    fireEvent.click(screen.getByRole("button", { name: "Confirm" }));
    await waitFor(() => expect(screen.queryByText("https://hooks.example.org")).toBeNull());
    expect(asked).toEqual([{ id: "wh_1" }]);
  });

  it("name each use with the address of the client, and stop the links of its webhook", async () => {
    const stopped: unknown[] = [];
    show({
      "webhooks.channels": () => [{ ...CHANNEL, isConfirmed: true }],
      "approvals.linkUses": () => [USE],
      "webhooks.leaveChannel": (input: unknown) => void stopped.push(input),
    });
    await screen.findByText(/from 203\.0\.113\.9/);
    fireEvent.click(await screen.findByRole("button", { name: "Stop links to https://hooks.example.org" }));
    await waitFor(() => expect(stopped).toEqual([{ id: "wh_1" }]));
  });

  it("ask a viewer nothing, who may approve no call", async () => {
    const asked: string[] = [];
    show(
      { "webhooks.channels": () => asked.push("channels"), "approvals.linkUses": () => asked.push("uses") },
      "viewer",
    );
    await waitFor(() => expect(screen.queryByRole("button")).toBeNull());
    expect(asked).toEqual([]);
  });
});
