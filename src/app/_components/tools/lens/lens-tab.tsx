import { useQuery } from "@tanstack/react-query";
import { parseAsString, useQueryState } from "nuqs";
import { useId, useState } from "react";
import { readToolAnswer } from "@/app/_components/content/result-content";
import { ModelViewPanel } from "@/app/_components/executions/result/model-view";
import { useExecution } from "@/app/_components/executions/summary/use-execution";
import { PaneHandle } from "@/app/_kit/pane-handle";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { Textarea } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { ToolDetail } from "@/lib/contract/catalog-tool";
import { MAX_LENS_CHARS, type ToolLens } from "@/lib/contract/lens";
import { formatPlural } from "@/lib/format";
import { LensPreviewView } from "./lens-preview-view";
import { useLensPreview } from "./use-lens-preview";

/** The expression that leaves a result unchanged. */
const WHOLE = "@";

/** Edits the expression that reduces the tool's results for models and MCP clients, and previews it on stored results. */
export function LensTab({ tool }: { tool: Pick<ToolDetail, "name" | "lens"> }) {
  const { name, lens } = tool;
  const [text, setText] = useState(lens?.expression ?? "");
  const [stoppedAt, setStoppedAt] = useState<string | null>(null);
  const [picked, setPicked] = useQueryState("result", parseAsString);
  const expression = text.trim() === "" ? WHOLE : text.trim();
  const preview = useLensPreview(name, expression, stoppedAt === expression);
  const shown = picked ?? preview.rows[0]?.executionId ?? null;
  const { data: example } = useQuery({
    queryKey: ["lens-example", shown, preview.expression],
    enabled: shown !== null && preview.problem === null,
    queryFn: ({ signal }) =>
      client.lenses.example.mutate({ executionId: shown ?? "", expression: preview.expression }, { signal }),
    placeholderData: (before) => before,
  });
  const problem = text.trim() === "" || preview.expression !== expression ? null : preview.problem;
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 overflow-auto max-lg:auto-rows-max lg:grid-cols-[clamp(280px,var(--pane-lens,24rem),calc(100%-340px))_0_minmax(0,1fr)] lg:overflow-hidden">
      <div className="flex min-h-0 flex-col gap-4 overflow-auto border-line p-3.5 max-lg:border-b lg:border-r">
        <LensForm name={name} lens={lens} text={text} onText={setText} problem={problem} />
        <Failures name={name} />
        {shown !== null && <SentResult executionId={shown} />}
      </div>
      <PaneHandle pane="lens" label="Resize the lens" resizes="before" className="max-lg:hidden" />
      <LensPreviewView
        preview={preview}
        isWhole={expression === WHOLE}
        shown={shown}
        onShow={(id) => void setPicked(id)}
        example={example ?? null}
        onStop={() => setStoppedAt(expression)}
      />
    </div>
  );
}

interface LensFormProps {
  name: string;
  lens: ToolLens | null;
  text: string;
  onText: (text: string) => void;
  problem: string | null;
}

function LensForm({ name, lens, text, onText, problem }: LensFormProps) {
  const id = useId();
  const save = useAction(trpc.tools.setLens, {
    stale: [trpc.tools],
    done: (saved) => (saved.lens === null ? "Lens removed" : "Lens saved"),
  });
  const wanted = text.trim();
  const isSaved = wanted === (lens?.expression ?? "");
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        save.mutate({ name, expression: wanted });
      }}
    >
      <label htmlFor={id} className="font-medium">
        Lens
      </label>
      <p id={`${id}-help`} className="text-mute text-xs">
        A lens shortens each result for models and MCP clients. It is a JMESPath expression; the stored result stays
        whole.
      </p>
      <Textarea
        id={id}
        rows={5}
        spellCheck={false}
        maxLength={MAX_LENS_CHARS}
        value={text}
        invalid={problem !== null}
        aria-describedby={`${id}-help ${id}-problem`}
        placeholder="items[*].{id: id, title: title}"
        className="font-mono"
        onChange={({ target }) => onText(target.value)}
      />
      <div id={`${id}-problem`} role="alert" className="text-bad text-xs [overflow-wrap:anywhere] empty:hidden">
        {save.error?.message ?? problem}
      </div>
      <div className="flex flex-wrap items-center gap-2">
        <Button
          needs="edit"
          type="submit"
          variant="primary"
          disabled={wanted === "" || isSaved || problem !== null || save.isPending}
        >
          {save.isPending ? "Saving…" : "Save lens"}
        </Button>
        {lens !== null && (
          <Button
            needs="edit"
            disabled={save.isPending}
            onClick={() => {
              onText("");
              save.mutate({ name, expression: null });
            }}
          >
            Remove lens
          </Button>
        )}
        {lens !== null && (
          <span className="text-mute text-xs">
            Set by {lens.by.name} <RelativeTime at={lens.updatedAt} />
          </span>
        )}
      </div>
    </form>
  );
}

/** The result of the previewed call as the model received it. */
function SentResult({ executionId }: { executionId: string }) {
  const { data: execution } = useExecution(executionId);
  if (execution === undefined) return null;
  return (
    <section aria-label="Sent to models" className="flex min-w-0 flex-col gap-2 border-line border-t pt-3.5">
      <h2 className="font-medium">Sent to models</h2>
      <ModelViewPanel execution={execution} answer={readToolAnswer(execution)} />
    </section>
  );
}

function Failures({ name }: { name: string }) {
  const { data } = useQuery(trpc.lenses.failures.queryOptions({ name }));
  if (data === undefined || data.latest === null) return null;
  const { executionId, fault, queuedAt } = data.latest;
  return (
    <Alert tone="warn" title={`Lenses failed in ${formatPlural(data.count, "call")}`}>
      Their callers got the whole result.{" "}
      <Link href={`/executions?tool=${encodeURIComponent(name)}&lensFailed=true`} className="underline">
        Show them
      </Link>
      .{" "}
      <Link href={`/executions/${encodeURIComponent(executionId)}`} className="underline">
        Latest
      </Link>{" "}
      (<RelativeTime at={queuedAt} />
      ): {fault}
    </Alert>
  );
}
