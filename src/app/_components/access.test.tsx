// @vitest-environment happy-dom
import { act, fireEvent, screen, waitFor, within } from "@testing-library/react";
import { type ReactElement, type ReactNode, Suspense } from "react";
import { describe, expect, it } from "vitest";
import { type FakeApi, fakeApi } from "@/app/_kit/fake-api.test-support";
import { describeRoles, type Permission, REQUIREMENTS, ROLES, type Role } from "@/lib/contract/access";
import { AREAS, type Area, EDITOR, fail, MODELS } from "./access-areas.test-support";
import { CommandPalette } from "./frame/command-palette";
import { PlaygroundView } from "./playground/playground-view";
import { NewToolView } from "./tools/editor/new-tool-view";

const READS =
  /\.(get|list|runs|evals|candidates|tools|allowances|providers|choices|handlers|serverFigures|checkDefinition|checkSettings|validate|validateArguments)$/;
const isChange = ({ path }: { path: string }): boolean => !READS.test(path);
const roleBelow = (permission: Permission): Role => ROLES[ROLES.indexOf(REQUIREMENTS[permission].role) - 1] ?? "viewer";

function page(children: ReactNode): ReactElement {
  return (
    <main id="main">
      <Suspense fallback={null}>{children}</Suspense>
    </main>
  );
}

async function show({ element, procedures = {}, search = "", opener }: Area, role: Role): Promise<FakeApi> {
  const api = fakeApi(procedures, search, "live", role);
  api.render(page(element));
  if (opener !== undefined) fireEvent.click(await screen.findByRole("button", { name: opener }));
  return api;
}

const findControl = async ([role, name]: Area["controls"][number]): Promise<HTMLElement> =>
  (await screen.findAllByRole(role, { name }))[0] ?? fail();

describe("what a role may not do", () => {
  it.each(AREAS)("is disabled and says which role may: $name", async (area) => {
    const role = roleBelow(area.needs);
    const denial = `This needs the role ${describeRoles(REQUIREMENTS[area.needs].role)}; yours is ${role}`;
    const api = await show(area, role);
    for (const control of area.controls) {
      const element = await findControl(control);
      expect([control[1], element.getAttribute("aria-description"), element.title]).toEqual([
        control[1],
        denial,
        denial,
      ]);
      expect(element.getAttribute("aria-disabled") === "true" || element.hasAttribute("disabled")).toBe(true);
      fireEvent.click(element);
    }
    await act(async () => undefined);
    expect(api.calls.filter(isChange)).toEqual([]);
    expect(api.visited).toEqual([]);
  });

  it.each(AREAS)("is not disabled for the role that may: $name", async (area) => {
    await show(area, REQUIREMENTS[area.needs].role);
    for (const control of area.controls) {
      const element = await findControl(control);
      expect(element.getAttribute("aria-description") ?? "").not.toMatch(/^This needs the role/);
    }
    expect(screen.queryByText(/^This needs the role/)).toBeNull();
  });
});

describe("what the keyboard may not do", () => {
  it("Enter sends no message for a viewer, and the Playground says why", async () => {
    const api = fakeApi(
      { ...MODELS, "tools.list": () => ({ items: [], nextCursor: null, matching: 0 }) },
      "",
      "live",
      "viewer",
    );
    api.render(page(<PlaygroundView initialSettingsText={null} />));
    const field = await screen.findByRole("textbox", { name: "Message to the model" });
    fireEvent.change(field, { target: { value: "hello" } });
    fireEvent.keyDown(field, { key: "Enter" });
    await screen.findByText("This needs the role operator, editor or admin; yours is viewer");
    expect(screen.getByRole("button", { name: "Send" }).getAttribute("aria-disabled")).toBe("true");
    expect(api.calls.filter(({ path }) => ["runs.start", "runs.send"].includes(path))).toEqual([]);
  });

  it("Ctrl+Enter runs and saves nothing", async () => {
    const runner = await show(AREAS[0] ?? fail(), "viewer");
    fireEvent.keyDown(await screen.findByRole("button", { name: /^Run/ }), { key: "Enter", ctrlKey: true });
    const editor = fakeApi(EDITOR, "", "live", "operator");
    editor.render(page(<NewToolView />));
    const form = await screen.findByRole("form", { name: "New tool" });
    fireEvent.keyDown(form, { key: "Enter", ctrlKey: true });
    fireEvent.submit(form);
    expect(within(form).getByText("This needs the role editor or admin; yours is operator")).toBeDefined();
    await waitFor(() => expect(editor.calls.length).toBeGreaterThan(0));
    expect([...runner.calls, ...editor.calls].filter(isChange)).toEqual([]);
  });

  it("the command palette shows what is denied with its reason, and does not open it", async () => {
    const api = fakeApi({}, "", "live", "viewer");
    api.render(<CommandPalette onClose={fail} onShortcuts={fail} />);
    for (const label of ["New tool", "New toolset", "Add server", "Import an mcp.json"]) {
      const option = await screen.findByRole("option", { name: new RegExp(`^${label}\\b.*This needs the role`) });
      fireEvent.click(option);
    }
    fireEvent.change(screen.getByRole("combobox"), { target: { value: "New tool" } });
    fireEvent.keyDown(screen.getByRole("combobox"), { key: "Enter" });
    expect(api.visited).toEqual([]);
  });
});
