import { Card } from "@/app/_ui/card";
import { CopyButton } from "@/app/_ui/copy-button";
import type { Suite } from "@/lib/contract/suite";

const LINES: Record<Suite["kind"], (name: string) => readonly string[]> = {
  tests: (name) => [
    `toolroom suites export ${name} > suites.json`,
    "toolroom test --file suites.json --junit report.xml",
  ],
  evals: (name) => [
    `toolroom suites run ${name} --min-rate 0.9 --junit report.xml`,
    "toolroom suites compare <before> <after>",
  ],
};

/** The commands that run a suite in continuous integration. */
export function RunInCi({ suite: { kind, name } }: { suite: Pick<Suite, "kind" | "name"> }) {
  return (
    <Card
      title="Run in CI"
      about="Set TOOLROOM_URL to the address of this Toolroom and, where accounts are on, TOOLROOM_API_TOKEN."
    >
      <ul className="divide-y divide-line">
        {LINES[kind](name).map((line) => (
          <li key={line} className="flex items-center gap-2 px-3.5 py-1.5">
            <code className="min-w-0 flex-1 font-mono text-xs [overflow-wrap:anywhere]">{line}</code>
            <CopyButton text={line} label={`Copy: ${line}`} className="-my-1" />
          </li>
        ))}
      </ul>
    </Card>
  );
}
