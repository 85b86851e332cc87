// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { describe, expect, it, vi } from "vitest";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Button, IconButton } from "@/app/_ui/button";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { Menu } from "@/app/_ui/menu";
import type { Role } from "@/lib/contract/access";
import { fakeApi } from "./fake-api.test-support";

const DENIAL = "This needs the role editor or admin; yours is operator";

function show(role: Role) {
  const used = vi.fn();
  const api = fakeApi({}, "", "live", role);
  api.render(
    <>
      <AccessNotice needs="edit" className="notice" />
      <form aria-label="Form" onSubmit={used}>
        <Button needs="edit" type="submit">
          Save
        </Button>
      </form>
      <IconButton needs="edit" label="Pin" onClick={used} />
      <NativeSelect needs="edit" aria-label="Mode" />
      <Link needs="edit" href="/tools/new">
        New
      </Link>
      <Menu trigger={<Button>Open</Button>} items={[{ label: "Delete", needs: "edit", onSelect: used }]} />
      <main id="main" />
    </>,
  );
  return used;
}

const isDenied = (element: HTMLElement): boolean =>
  element.title === DENIAL &&
  element.getAttribute("aria-description") === DENIAL &&
  (element.getAttribute("aria-disabled") === "true" || element.hasAttribute("disabled"));

describe("a control that needs a permission", () => {
  it("is disabled, can be reached, and says which role may use it", async () => {
    const used = show("operator");
    fireEvent.click(screen.getByRole("button", { name: "Open" }));
    const item = await screen.findByRole("menuitem", { name: "Delete" });
    const controls = [
      screen.getByRole("button", { name: "Save", hidden: true }),
      screen.getByRole("button", { name: "Pin", hidden: true }),
      screen.getByRole("combobox", { name: "Mode", hidden: true }),
      screen.getByRole("link", { name: "New", hidden: true }),
      item,
    ];
    expect(controls.filter((control) => !isDenied(control))).toEqual([]);
    expect(screen.getAllByText(DENIAL)).toHaveLength(1);
    for (const control of controls) fireEvent.click(control);
    expect(used).not.toHaveBeenCalled();
    // The notice above the form, and one toast for each control that can be pressed.
    expect(screen.getAllByText(DENIAL)).toHaveLength(5);
    expect(screen.getByRole("link", { hidden: true }).getAttribute("href")).toBeNull();
    // The select is a native one: it is read, but takes no focus.
    expect(controls.filter((control) => control.hasAttribute("disabled"))).toHaveLength(1);
  });

  it("does what it does for a role that has the permission", async () => {
    const used = show("editor");
    fireEvent.click(screen.getByRole("button", { name: "Save" }));
    fireEvent.click(screen.getByRole("button", { name: "Pin" }));
    fireEvent.click(screen.getByRole("button", { name: "Open" }));
    fireEvent.click(await screen.findByRole("menuitem", { name: "Delete" }));
    expect(used).toHaveBeenCalledTimes(3);
    expect(screen.getByRole("link", { name: "New", hidden: true }).getAttribute("href")).toBe("/tools/new");
    expect(screen.queryByText(/This needs the role/)).toBeNull();
    expect(document.querySelector("[aria-description]")).toBeNull();
  });
});
