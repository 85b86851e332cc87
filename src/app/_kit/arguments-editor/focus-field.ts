import { parentPointer } from "@/lib/json/json-pointer";
import { fieldId } from "./form-context";

function canFocus(element: HTMLElement | null): element is HTMLElement {
  return element !== null && !element.matches(":disabled");
}

/** Focuses the first of these elements that is there once the page shows what was just dispatched. */
export function focusSoon(...ids: string[]): void {
  requestAnimationFrame(() => {
    ids
      .map((id) => document.getElementById(id))
      .find(canFocus)
      ?.focus();
  });
}

/** Focuses the field at a path, or the nearest visible one around it. False where there is none. */
export function focusField(idPrefix: string, pointer: string): boolean {
  for (let place: string | null = pointer; place !== null; place = parentPointer(place)) {
    const element = document.getElementById(fieldId(idPrefix, place));
    if (!canFocus(element)) continue;
    element.focus();
    element.scrollIntoView({ block: "center" });
    return true;
  }
  return false;
}
