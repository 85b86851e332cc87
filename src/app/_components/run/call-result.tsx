"use client";

import dynamic from "next/dynamic";
import { CopyButton } from "@/app/_ui/copy-button";
import { Skeleton } from "@/app/_ui/skeleton";
import type { FunctionResultContent } from "@/lib/contract/chat";
import { formatBytes } from "@/lib/format";
import { CallData } from "./call-data";

const CallMedia = dynamic(() => import("./call-media").then((module) => module.CallMedia), {
  ssr: false,
  loading: () => <Skeleton className="h-24" />,
});

/** What the model was given for a call: text, an exception, and media, which are read from the execution. */
export function CallResult({ result }: { result: FunctionResultContent }) {
  const { exception, items = [] } = result;
  const media = items.filter((item) => item.type === "media");
  const text = exception ? exception.message : (result.result ?? "");
  return (
    <section aria-label="Result" className="flex min-w-0 flex-col gap-1">
      <div className="flex min-h-7 items-center gap-2 text-mute text-xs">
        {exception ? (
          <>
            Error <span className="font-mono text-bad">{exception.kind}</span>
          </>
        ) : (
          "Result"
        )}
        {text !== "" && (
          <CopyButton text={text} label={exception ? "Copy error" : "Copy result"} className="-my-1 ml-auto" />
        )}
      </div>
      {exception && <p className="text-bad text-sm [overflow-wrap:anywhere]">{exception.message}</p>}
      {!exception && text !== "" && <CallData text={text} label="Result" />}
      {!exception && text === "" && media.length === 0 && <p className="text-mute text-xs">It gave nothing.</p>}
      {media.length > 0 && result.executionId !== undefined && <CallMedia executionId={result.executionId} />}
      {media.length > 0 && result.executionId === undefined && (
        <p className="text-mute text-xs">
          {media.map(({ mimeType, bytes }) => `${mimeType}, ${formatBytes(bytes)}`).join("; ")}
        </p>
      )}
    </section>
  );
}
