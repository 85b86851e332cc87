// The menu loads it on the first press, which takes long beside other tests.
import "@/app/_ui/menu-view";
import { fireEvent, render, screen, within } from "@testing-library/react";
import type { Fault } from "@/lib/contract/envelope";
import type { JsonSchema, JsonValue } from "@/lib/contract/json";
import { ArgumentsEditor } from "./arguments-editor";
import { RequestBody } from "./request-body";
import { useArgumentsEditor } from "./use-arguments-editor";

/** Helpers of the editor's tests: an editor on a page, and functions that operate it. */
let latest: string | null = null;

function Bench({ schema, text, faults }: { schema: JsonSchema; text: string; faults: Fault[] }) {
  const editor = useArgumentsEditor(text, schema);
  latest = editor.text;
  return (
    <>
      <ArgumentsEditor schema={schema} state={editor.state} dispatch={editor.dispatch} faults={faults} />
      <RequestBody text={editor.text} shownText={editor.text} mode={editor.state.mode} />
    </>
  );
}

export function show(
  properties: JsonSchema,
  value: JsonValue = {},
  options: { faults?: Fault[]; schema?: JsonSchema } = {},
) {
  const schema = { type: "object", properties, ...options.schema };
  return render(<Bench schema={schema} text={JSON.stringify(value)} faults={options.faults ?? []} />);
}

/** The text that Run would send now. */
export const sentText = (): string | null => latest;
export const sent = (): JsonValue => JSON.parse(latest ?? '"nothing"');
export const type = (label: string, text: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value: text } });
export const press = (name: string | RegExp) => fireEvent.click(screen.getByRole("button", { name }));

/** Picks an action from the menu of the editor. */
export async function choose(name: string): Promise<void> {
  // Once loaded, the menu opens as the pointer goes down.
  fireEvent.pointerDown(screen.getByRole("button", { name: "Argument actions" }), { button: 0 });
  if (screen.queryByRole("menu") === null) press("Argument actions");
  fireEvent.click(await screen.findByRole("menuitem", { name }));
}

export function getField(pointer: string): HTMLElement {
  const field = [...document.querySelectorAll<HTMLElement>("[data-pointer]")].find(
    (e) => e.dataset.pointer === pointer,
  );
  if (field === undefined) throw new Error(`No field at ${pointer}`);
  return field;
}

export function state(pointer: string, name: "Omit" | "null" | "Value"): HTMLInputElement {
  const [group] = within(getField(pointer)).getAllByRole("radiogroup");
  if (group === undefined) throw new Error(`No state at ${pointer}`);
  return within(group).getByLabelText<HTMLInputElement>(name);
}
