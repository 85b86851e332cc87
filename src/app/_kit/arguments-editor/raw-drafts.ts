import { arrayIndex, isWithin } from "@/lib/json/json-pointer";
import type { TextFault } from "./locate-fault";

/** Text in a raw field of the form that is not JSON yet, by the JSON pointer of the field. */
interface RawDraft {
  text: string;
  fault: TextFault;
}

export type RawDrafts = ReadonlyMap<string, RawDraft>;

export const NO_DRAFTS: RawDrafts = new Map();

export function withDraft(drafts: RawDrafts, pointer: string, draft: RawDraft): RawDrafts {
  return new Map(drafts).set(pointer, draft);
}

/** Drops the drafts at a place and beneath it, whose value has been replaced. */
export function withoutDrafts(drafts: RawDrafts, pointer: string): RawDrafts {
  const kept = [...drafts].filter(([place]) => !isWithin(place, pointer));
  return kept.length === drafts.size ? drafts : new Map(kept);
}

/** Lets drafts follow the elements of an array, or a renamed key. Tokens are escaped; one that maps to null is gone. */
export function rekeyDrafts(drafts: RawDrafts, parent: string, rename: (token: string) => string | null): RawDrafts {
  if (drafts.size === 0) return drafts;
  const moved = [...drafts].flatMap(([place, draft]): [string, RawDraft][] => {
    if (place === parent || !isWithin(place, parent)) return [[place, draft]];
    const [token = "", ...rest] = place.slice(parent.length + 1).split("/");
    const next = rename(token);
    return next === null ? [] : [[[`${parent}/${next}`, ...rest].join("/"), draft]];
  });
  return new Map(moved);
}

export function reindexDrafts(drafts: RawDrafts, array: string, newIndex: (index: number) => number | null): RawDrafts {
  return rekeyDrafts(drafts, array, (token) => {
    const index = arrayIndex(token);
    const next = index === null ? null : newIndex(index);
    return next === null ? null : String(next);
  });
}
