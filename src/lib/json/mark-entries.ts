import { TimeSlice } from "../time-slice";
import { mayChange } from "./exact-text";
import { findMember, findValueEnd, walkElements } from "./json-text";
import { markDigits } from "./number-digits";

/**
 * Gives the entries of a list the digits of their numbers, with other work in between.
 * @param text the JSON text of the object whose member `key` the list is
 */
export async function markEntries(list: readonly unknown[], text: string, key: string): Promise<void> {
  const span = mayChange(text) ? findMember(text, 0, key) : null;
  if (span === null || !text.startsWith("[", span.start)) return;
  const spans: [start: number, end: number][] = [];
  walkElements(text, span.start, (_index, start) => {
    const end = findValueEnd(text, start);
    spans.push([start, end]);
    return end;
  });
  const slice = new TimeSlice();
  for (const [index, [start, end]] of spans.entries()) {
    markDigits(list[index], text.slice(start, end));
    await slice.pause();
  }
}
