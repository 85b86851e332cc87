// @vitest-environment happy-dom
import { fireEvent, screen, within } from "@testing-library/react";
import { describe, expect, it } from "vitest";
import { fakeApi } from "@/app/_kit/fake-api.test-support";
import { DeleteDialog } from "./delete-dialog";

async function open(pinned: number) {
  const api = fakeApi({
    "executions.deletionPreview": ({ includePinned }: { includePinned: boolean }) =>
      includePinned
        ? { count: 45 + pinned, more: false, keptPinned: 0 }
        : { count: 45, more: false, keptPinned: pinned },
  });
  const nothing = () => undefined;
  api.render(<DeleteDialog filter={{ status: ["failed"] }} selectedIds={[]} onDeleted={nothing} onClose={nothing} />);
  const dialog = within(await screen.findByRole("dialog"));
  await dialog.findByRole("button", { name: "Delete 45 executions" });
  return dialog;
}

describe("the dialog that deletes executions", () => {
  it("names on its button how many it deletes, and offers pinned ones only where there are some", async () => {
    const dialog = await open(0);
    expect(dialog.getByText(/all executions that match the current filter/)).toBeDefined();
    expect(dialog.queryByRole("checkbox")).toBeNull();
  });

  it("counts pinned executions once they are chosen, and the choice can be taken back", async () => {
    const dialog = await open(2);
    const choice = dialog.getByRole("checkbox", { name: "Also delete pinned executions" });
    fireEvent.click(choice);
    await dialog.findByRole("button", { name: "Delete 47 executions" });
    fireEvent.click(choice);
    await dialog.findByRole("button", { name: "Delete 45 executions" });
    expect(dialog.getByRole("checkbox")).toHaveProperty("checked", false);
  });
});
