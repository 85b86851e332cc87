import { ChevronDown, ChevronRight } from "lucide-react";
import { useId, useState } from "react";
import { JsonText } from "@/app/_ui/json-text";
import type { ArgumentsMode } from "./arguments-state";

interface RequestBodyProps {
  /** The exact text to send; null while there is none. */
  text: string | null;
  /** The text with secret values concealed. */
  shownText: string | null;
  /** In JSON mode it starts folded: the text above is the same. */
  mode: ArgumentsMode;
}

/** Colouring and laying out more than this on every key stroke would slow typing down. */
const MAX_SHOWN_CHARS = 20_000;

const encoder = new TextEncoder();

function byteText(text: string): string {
  const count = encoder.encode(text).length;
  return count === 1 ? "1 byte" : `${count.toLocaleString("en")} bytes`;
}

/** The exact text that Run sends. Its problems are shown above, where they are fixed. */
export function RequestBody({ text, shownText, mode }: RequestBodyProps) {
  const [openIn, setOpenIn] = useState({ form: true, json: false });
  const open = openIn[mode];
  const id = useId();
  const Chevron = open ? ChevronDown : ChevronRight;
  const isLong = shownText !== null && shownText.length > MAX_SHOWN_CHARS;
  const shown = isLong ? shownText.slice(0, MAX_SHOWN_CHARS) : shownText;
  return (
    <section aria-label="Request body" className="flex flex-col border-line border-t bg-rail px-3.5 py-2 lg:max-h-1/3">
      <div className="flex shrink-0 flex-wrap items-center gap-x-2 text-2xs">
        <button
          type="button"
          aria-expanded={open}
          aria-controls={id}
          onClick={() => setOpenIn({ ...openIn, [mode]: !open })}
          className="-ml-1 flex h-6 items-center max-sm:h-10 gap-0.5 rounded-sm font-medium text-mute hover:text-text"
        >
          <Chevron size={15} />
          Request body
        </button>
        {text !== null && <span className="ml-auto text-mute tabular-nums">{byteText(text)}</span>}
      </div>
      <div id={id} hidden={!open} className="mt-1 flex min-h-0 flex-col">
        {shown === null ? (
          <p className="text-mute text-xs">Fix the JSON to see the request body.</p>
        ) : (
          <JsonText text={shown} label="Exact request body" wrap className="max-h-44 min-h-0" />
        )}
        {text !== null && isLong && (
          <p className="mt-1 text-mute text-xs">
            Showing the first {MAX_SHOWN_CHARS.toLocaleString("en")} of {text.length.toLocaleString("en")} characters.
            Switch to JSON to see all.
          </p>
        )}
      </div>
    </section>
  );
}
