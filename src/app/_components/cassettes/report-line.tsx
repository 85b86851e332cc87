import { cx } from "@/app/_ui/class-names";
import { formatPlural } from "@/lib/format";

/** Shows how many recordings a session used and missed, in red where it missed some. Its title is the report's whole line. */
export function ReportLine({ line, misses }: { line: string; misses: number }) {
  return (
    <span
      data-status={misses > 0 ? "failed" : "succeeded"}
      title={line}
      className={cx("text-xs tabular-nums [overflow-wrap:anywhere]", misses > 0 ? "text-bad" : "text-ok")}
    >
      {describeLine(line, misses)}
    </span>
  );
}

/** `reused=2/9 misses=1 live=3 …` as `2 of 9 used · 1 miss · 3 live`; a line of another form stays as it is. */
function describeLine(line: string, misses: number): string {
  const [, reused, recorded, live] = /^reused=(\d+)\/(\d+) misses=\d+ live=(\d+)/.exec(line) ?? [];
  if (reused === undefined) return line;
  const missed = misses === 0 ? "no misses" : formatPlural(misses, "miss", "misses");
  return [`${reused} of ${recorded} used`, missed, ...(live === "0" ? [] : [`${live} live`])].join(" · ");
}
