import { ScrollRegion } from "@/app/_ui/scroll-region";
import type { LogLine } from "@/lib/contract/execution";
import { formatDuration } from "@/lib/format";

const LEVEL_COLOURS: Record<LogLine["level"], string> = {
  debug: "text-faint",
  info: "text-mute",
  warn: "text-warn",
  error: "text-bad",
};

export interface LogViewProps {
  lines: readonly LogLine[];
  running: boolean;
}

/** What the tool said while it ran, with the time since it began. */
export function LogView({ lines, running }: LogViewProps) {
  if (lines.length === 0) {
    return <p className="text-mute">{running ? "No log output yet." : "No log output."}</p>;
  }
  return (
    <div className="flex flex-col gap-2">
      <ScrollRegion label="Log lines">
        <div role="log" aria-label="Log">
          <ol className="font-mono text-xs leading-5">
            {keyed(lines).map(({ key, line }) => (
              <li key={key} className="flex gap-3">
                <span className="w-16 shrink-0 text-right text-faint tabular-nums">{formatDuration(line.atMs)}</span>
                <span className={`w-10 shrink-0 ${LEVEL_COLOURS[line.level]}`}>{line.level}</span>
                <span dir="auto" className="min-w-0 whitespace-pre-wrap [overflow-wrap:anywhere]">
                  {line.message}
                </span>
              </li>
            ))}
          </ol>
        </div>
      </ScrollRegion>
      {running && <p className="text-mute text-xs">Earlier lines appear when the call ends.</p>}
    </div>
  );
}

/** Lines may repeat: the key of a repeated line includes its occurrence. */
function keyed(lines: readonly LogLine[]): { key: string; line: LogLine }[] {
  const seen = new Map<string, number>();
  return lines.map((line) => {
    const name = `${line.atMs} ${line.level} ${line.message}`;
    const count = seen.get(name) ?? 0;
    seen.set(name, count + 1);
    return { key: `${count} ${name}`, line };
  });
}
