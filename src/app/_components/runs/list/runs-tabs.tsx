import { cx } from "@/app/_ui/class-names";
import { Link } from "@/app/_ui/link";

const PLACES = [
  { value: "runs", label: "Runs", href: "/runs" },
  { value: "transcripts", label: "Transcripts", href: "/runs/transcripts" },
] as const;

/** Beneath the page's title: what models did, and the transcripts in which they answer by themselves. */
export function RunsTabs({ current }: { current: (typeof PLACES)[number]["value"] }) {
  return (
    <nav aria-label="Runs and transcripts" className="flex gap-4.5 overflow-x-auto border-line border-b px-4">
      {PLACES.map(({ value, label, href }) => (
        <Link
          key={value}
          href={href}
          aria-current={value === current ? "page" : undefined}
          className={cx(
            "-outline-offset-2 shrink-0 border-b-2 pt-2 pb-2 text-sm hover:text-text",
            value === current ? "border-text font-medium text-text" : "border-transparent text-mute",
          )}
        >
          {label}
        </Link>
      ))}
    </nav>
  );
}
