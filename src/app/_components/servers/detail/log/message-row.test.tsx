// @vitest-environment happy-dom
import { fireEvent, render, screen } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import type { ProtocolMessage } from "@/lib/contract/server";
import { MessageRow } from "./messages-tab";

const MESSAGE: Omit<ProtocolMessage, "bytes"> = {
  seq: 1,
  at: 0,
  direction: "received",
  kind: "response",
  method: "tools/call",
  id: "1",
  text: JSON.stringify({ name: "Zürich" }),
};

function show(bytes: number): void {
  const message: ProtocolMessage = { ...MESSAGE, bytes };
  render(<MessageRow paired={{ message, durationMs: 1, answered: true }} />);
  fireEvent.click(screen.getByRole("button", { expanded: false }));
}

describe("a protocol message", () => {
  it("of which only the beginning is stored shows the size of that, and how much it was", () => {
    show(5_242_880);
    expect(screen.getByText("18 B")).toBeTruthy();
    expect(screen.getByText("Only the beginning is stored: 18 B of 5 MiB.")).toBeTruthy();
  });

  it("that is stored whole shows its size in bytes", () => {
    show(18);
    expect(screen.getByText("18 B")).toBeTruthy();
    expect(screen.queryByText(/Only the beginning/)).toBeNull();
  });
});
