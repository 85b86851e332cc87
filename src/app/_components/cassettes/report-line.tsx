import { cx } from "@/app/_ui/class-names";

/** `reused=6/6 misses=0 live=0` of a session; red where it missed recordings. */
export function ReportLine({ line, misses }: { line: string; misses: number }) {
  return (
    <code
      data-status={misses > 0 ? "failed" : "succeeded"}
      className={cx("font-mono text-xs [overflow-wrap:anywhere]", misses > 0 ? "text-bad" : "text-ok")}
    >
      {line}
    </code>
  );
}
