import { Badge } from "@/app/_ui/badge";
import { Link } from "@/app/_ui/link";
import type { Confusion } from "@/lib/contract/word-test";
import { formatPlural } from "@/lib/format";

/** The pairs of tools that questions do not tell apart. */
export function ConfusionList({ confusions }: { confusions: readonly Confusion[] }) {
  return (
    <ul aria-label="Confusable pairs" className="divide-y divide-line">
      {confusions.map(({ expected, rival, questions, wrong, example, words }) => (
        <li key={`${expected} ${rival}`} className="flex flex-wrap items-start gap-x-2 gap-y-0.5 px-3.5 py-2">
          <div className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
            <p className="font-mono text-xs">
              <ToolLink name={expected} /> <span className="text-mute">vs.</span> <ToolLink name={rival} />
            </p>
            <p dir="auto" className="line-clamp-2 text-mute text-xs">
              “{example}”{words.length > 0 && ` · shared words: ${words.join(", ")}`}
            </p>
          </div>
          <Badge tone={wrong > 0 ? "bad" : "warn"}>
            {wrong > 0 ? `${formatPlural(wrong, "question")} wrong` : `${formatPlural(questions, "question")} close`}
          </Badge>
        </li>
      ))}
    </ul>
  );
}

function ToolLink({ name }: { name: string }) {
  return (
    <Link href={`/tools/${encodeURIComponent(name)}`} className="rounded-xs hover:underline">
      {name}
    </Link>
  );
}
