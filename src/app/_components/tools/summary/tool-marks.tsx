import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Link } from "@/app/_ui/link";
import { listMarks } from "@/lib/contract/tool-facts";

type Marked = Parameters<typeof listMarks>[0];

/** Labels of the states that differ from their names. */
export const STATE_WORDS = { held: "changed by server" };

export function ToolMarks({ tool }: { tool: Marked }) {
  return listMarks(tool).map(({ name, word, means, tone }) => (
    <Badge key={name} tone={tone} title={means}>
      {word}
    </Badge>
  ));
}

/** The marks that need more words than a badge has, on the pages of a tool and of its calls. */
export function ToolNotices({ tool, className }: { tool: Marked; className?: string }) {
  const notices = listMarks(tool).flatMap(({ name, notice }) => (notice === undefined ? [] : [{ name, ...notice }]));
  if (notices.length === 0) return null;
  return (
    <div className={className}>
      {notices.map(({ name, title, successor, note }) => (
        <Alert key={name} tone="warn" title={<NoticeTitle title={title} successor={successor} />}>
          {note !== null && (
            <p dir="auto" className="whitespace-pre-line text-mute">
              {note}
            </p>
          )}
        </Alert>
      ))}
    </div>
  );
}

function NoticeTitle({ title, successor }: { title: string; successor: string | null }) {
  if (successor === null) return title;
  return (
    <>
      {title}: use{" "}
      <Link href={`/tools/${encodeURIComponent(successor)}`} className="font-mono underline">
        {successor}
      </Link>{" "}
      instead
    </>
  );
}
