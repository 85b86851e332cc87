"use client";

import { PartView } from "@/app/_components/servers/detail/contents/contents-view";
import { readMessages } from "@/app/_components/servers/detail/contents/resource-contents";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { CopyButton } from "@/app/_ui/copy-button";
import { formatPlural } from "@/lib/format";

/** The messages of a prompt, as a model would get them. */
export function PromptMessages({ text }: { text: string }) {
  const answer = readMessages(text);
  if (answer === null) return <JsonTree text={text} label="Answer" />;
  const { description, messages, left } = answer;
  return (
    <section aria-label="Messages" className="flex max-w-4xl flex-col gap-3">
      <div className="flex items-center gap-2">
        <h3 className="font-medium">{formatPlural(messages.length + left, "message")}</h3>
        <CopyButton text={text} label="Copy full response" className="ml-auto" />
      </div>
      {description !== null && (
        <p dir="auto" className="text-mute [overflow-wrap:anywhere]">
          {description}
        </p>
      )}
      <ol className="flex flex-col gap-3">
        {messages.map((message, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: messages have no identity but their place
          <li key={at} className="min-w-0">
            <p className="mb-1 font-medium text-mute text-xs">{message.role}</p>
            {message.text !== null && (
              <div className="rounded-lg border border-line p-3">
                <ClippedText text={message.text} label={`Message of ${message.role}`} />
              </div>
            )}
            {message.text === null && message.media !== null && <PartView part={message.media} />}
            {message.text === null && message.media === null && (
              <JsonTree text={message.raw} label={`Message of ${message.role}`} />
            )}
          </li>
        ))}
      </ol>
      {left > 0 && <p className="text-mute">{formatPlural(left, "message")} more, in what is copied.</p>}
    </section>
  );
}
