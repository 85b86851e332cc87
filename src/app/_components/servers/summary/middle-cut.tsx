import { cx } from "@/app/_ui/class-names";

/** The characters kept of the end, which tells most about a command or an address: the folder, the path. */
const TAIL_CHARS = 20;

/**
 * One line, cut in its middle where it does not fit. The whole text stays in the page for those who read with their ears;
 * it is shown whole on hover, and where the row's link has the focus.
 */
export function MiddleCut({ text, className }: { text: string; className?: string }) {
  const cut = Math.max(text.length - TAIL_CHARS, 0);
  return (
    <span title={text} className={cx("block min-w-0", className)}>
      <span aria-hidden className="flex min-w-0 group-has-[[data-row]:focus-visible]/row:hidden">
        <span className="min-w-0 truncate whitespace-pre">{text.slice(0, cut)}</span>
        <span className="shrink-0 whitespace-pre">{text.slice(cut)}</span>
      </span>
      <span className="sr-only [overflow-wrap:anywhere] group-has-[[data-row]:focus-visible]/row:not-sr-only">
        {text}
      </span>
    </span>
  );
}
