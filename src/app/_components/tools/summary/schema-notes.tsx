import type { ReactNode } from "react";
import { cx } from "@/app/_ui/class-names";
import type { SchemaNote } from "@/lib/contract/schema-note";
import { formatCount } from "@/lib/format";

const MAX_SHOWN = 5;

/** The parts of a tool's schema that are not validated. The tool can still be called. */
export function SchemaNotes({ notes, className }: { notes: readonly SchemaNote[]; className?: string }) {
  if (notes.length === 0) return null;
  return (
    <ul aria-label="Schema notes" className={cx("flex flex-col gap-0.5 text-mute text-xs", className)}>
      {notes.slice(0, MAX_SHOWN).map(({ pointer, message }) => (
        <li key={`${pointer} ${message}`} className="[overflow-wrap:anywhere]">
          <WithCode text={message} />
        </li>
      ))}
      {notes.length > MAX_SHOWN && <li>{formatCount(notes.length - MAX_SHOWN)} more</li>}
    </ul>
  );
}

/** Renders text between backticks as code. */
export function WithCode({ text }: { text: string }) {
  const parts: ReactNode[] = [];
  let end = 0;
  for (const { 0: quoted, index } of text.matchAll(/`[^`]+`/g)) {
    parts.push(
      text.slice(end, index),
      <code key={index} className="font-mono">
        {quoted.slice(1, -1)}
      </code>,
    );
    end = index + quoted.length;
  }
  return [...parts, text.slice(end)];
}
