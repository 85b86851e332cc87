import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { trpc } from "@/app/_trpc/client";
import { Input, NativeSelect } from "@/app/_ui/field";
import { useTimeZone } from "@/app/_ui/time-zone";

const DAY_MS = 86_400_000;
const PERIODS = { "1": "24 hours", "7": "7 days", "30": "30 days" } as const;
type Days = keyof typeof PERIODS;
const DAYS = Object.keys(PERIODS) as Days[];
/** Shorter texts are in nearly every call. */
const LEAST_SEARCH_CHARS = 3;
const MAX_SEARCH_CHARS = 200;
const SEARCH = "search";
const VIEW = "view:";

/** The filter of a preview's request. */
export interface AskedCalls {
  filter?: { since?: number; q?: string };
  view?: string;
  zone?: string;
}

export interface PreviewCalls {
  asked: AskedCalls;
  /** Describes which calls the preview covers, such as `In the last 7 days`. */
  words: string;
  /** Why nothing can be evaluated yet. */
  obstacle: string | null;
  choice: string;
  text: string;
  choose: (choice: string) => void;
  search: (text: string) => void;
}

/** Which recorded calls a preview reads: of some days, of a saved view, or those with a text. */
export function usePreviewCalls(): PreviewCalls {
  const zone = useTimeZone();
  const { data: views = [] } = useQuery(trpc.views.list.queryOptions());
  const [{ choice, since }, setChoice] = useState<{ choice: string; since: number | null }>({
    choice: "7",
    since: null,
  });
  const [text, setText] = useState("");
  const choose = (next: string): void =>
    setChoice({ choice: next, since: isDays(next) ? Date.now() - Number(next) * DAY_MS : null });
  const shared = { choice, text, choose, search: setText };
  if (isDays(choice)) {
    const asked = since === null ? {} : { filter: { since } };
    return { ...shared, asked, words: `In the last ${PERIODS[choice]}`, obstacle: null };
  }
  if (choice === SEARCH) {
    const q = text.trim();
    const obstacle =
      q.length < LEAST_SEARCH_CHARS ? `Enter ${LEAST_SEARCH_CHARS} characters or more to search for.` : null;
    return { ...shared, asked: { filter: { q } }, words: `In calls of 7 days with “${q}”`, obstacle };
  }
  const id = choice.slice(VIEW.length);
  const name = views.find((view) => view.id === id)?.name ?? id;
  return { ...shared, asked: { view: id, zone }, words: `In the view ${name}`, obstacle: null };
}

const isDays = (choice: string): choice is Days => DAYS.some((days) => days === choice);

/** The choice of the calls, above a preview. */
export function PreviewCallsPicker({ calls }: { calls: PreviewCalls }) {
  const id = useId();
  const { data: views = [] } = useQuery(trpc.views.list.queryOptions());
  return (
    <div className="ml-auto flex min-w-0 flex-wrap items-center gap-1.5">
      <label htmlFor={id} className="text-mute text-xs">
        Calls of
      </label>
      <NativeSelect
        id={id}
        className="w-auto! max-w-52"
        value={calls.choice}
        onChange={({ target }) => calls.choose(target.value)}
      >
        {DAYS.map((days) => (
          <option key={days} value={days}>
            Last {PERIODS[days]}
          </option>
        ))}
        {views.length > 0 && (
          <optgroup label="Saved views">
            {views.map((view) => (
              <option key={view.id} value={`${VIEW}${view.id}`}>
                {view.name}
              </option>
            ))}
          </optgroup>
        )}
        <option value={SEARCH}>A search…</option>
      </NativeSelect>
      {calls.choice === SEARCH && (
        <Input
          type="search"
          aria-label="Search arguments, results and errors"
          placeholder="Search arguments, results"
          maxLength={MAX_SEARCH_CHARS}
          value={calls.text}
          onChange={({ target }) => calls.search(target.value)}
          className="w-52"
        />
      )}
    </div>
  );
}
