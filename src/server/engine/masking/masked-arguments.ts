import type { Fault } from "../../../lib/contract/envelope";
import { pointerToPath } from "../../../lib/json/json-pointer";
import { findMasks, hasMask } from "../../../lib/masked-value";
import type { CallArguments } from "../executor/call-arguments";

/** Masks that stand in arguments for values: a tool must never get them. Empty where there are none. */
export function maskFaults({ text, value }: CallArguments): Fault[] {
  if (!hasMask(text)) return [];
  const pointers = findMasks(value);
  return (pointers.length > 0 ? pointers : [""]).map((pointer) => ({
    pointer,
    path: pointerToPath(pointer),
    keyword: "masked",
    message: "is masked: enter the value again",
  }));
}
