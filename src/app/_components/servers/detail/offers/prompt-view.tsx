import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import { PartView } from "@/app/_components/servers/detail/contents/contents-view";
import { readMessages } from "@/app/_components/servers/detail/contents/resource-contents";
import { FormField } from "@/app/_kit/form-field";
import { ClippedText } from "@/app/_kit/json-tree/clipped-text";
import { JsonTree } from "@/app/_kit/json-tree/json-tree";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Button } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { Textarea } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import type { ServerDetail } from "@/lib/contract/server";
import type { ServerPrompt } from "@/lib/contract/server-content";
import { formatPlural } from "@/lib/format";
import { OffersTab, useCanAsk } from "./offers-tab";

/** One prompt: its arguments, and the messages that the server makes of them. */
function PromptView({ server, prompt }: { server: string; prompt: ServerPrompt }) {
  const id = useId();
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const get = useAction(trpc.content.getPrompt, { stale: [] });
  const missing = prompt.arguments.filter(({ name, required }) => required && (values.get(name) ?? "") === "");
  const [tried, setTried] = useState(false);

  function submit() {
    setTried(true);
    if (missing.length > 0 || get.isPending) return;
    // An argument that was left empty is not sent, unless the prompt requires it.
    const args = Object.fromEntries([...values].filter(([, value]) => value !== ""));
    get.mutate({ name: server, prompt: prompt.name, args });
  }

  return (
    <section
      aria-label={prompt.title ?? prompt.name}
      className="flex min-h-0 min-w-0 flex-col bg-panel lg:overflow-y-auto"
    >
      <header className="border-line border-b px-4 py-2.5">
        <h2 className="font-medium [overflow-wrap:anywhere]">{prompt.title ?? prompt.name}</h2>
        {prompt.title !== null && <p className="font-mono text-mute text-xs [overflow-wrap:anywhere]">{prompt.name}</p>}
        {prompt.description !== null && (
          <p dir="auto" className="mt-1 max-w-4xl whitespace-pre-wrap text-mute [overflow-wrap:anywhere]">
            {prompt.description}
          </p>
        )}
        <form
          aria-label={`Arguments of ${prompt.name}`}
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
          className="mt-3 flex max-w-2xl flex-col gap-3"
        >
          {prompt.arguments.map((argument, at) => {
            const problems = tried && missing.includes(argument) ? ["is required"] : [];
            return (
              <FormField
                key={argument.name}
                id={`${id}-${at}`}
                label={argument.name}
                dataKey="text"
                required={argument.required}
                hint={argument.description ?? undefined}
                problems={problems}
              >
                <Textarea
                  id={`${id}-${at}`}
                  rows={1}
                  value={values.get(argument.name) ?? ""}
                  invalid={problems.length > 0}
                  fitted
                  className="min-h-8! max-h-60"
                  onChange={(event) => setValues((before) => new Map(before).set(argument.name, event.target.value))}
                />
              </FormField>
            );
          })}
          <Button needs="run" type="submit" variant="primary" size="md" disabled={get.isPending} className="self-start">
            {get.isPending ? "Loading…" : "Get messages"}
          </Button>
        </form>
      </header>
      <div className="p-4">
        {get.problem !== null && (
          <Alert live tone="bad" title="Couldn't get the prompt">
            <p className="whitespace-pre-wrap">{get.problem}</p>
          </Alert>
        )}
        {get.data !== undefined && (
          <>
            <Link href={`/executions/${get.data.executionId}`} className="mb-3 block w-fit text-xs underline">
              Open execution
            </Link>
            <PromptMessages text={get.data.text} />
          </>
        )}
        {get.isIdle && <p className="text-mute">The messages appear here.</p>}
      </div>
    </section>
  );
}

/** The messages of a prompt, as a model would get them. */
function PromptMessages({ text }: { text: string }) {
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
          // biome-ignore lint/suspicious/noArrayIndexKey: a prompt's messages have no id and keep their order
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

/** The prompts that the server offers. The open one is in the address. */
export function PromptsTab({ server }: { server: ServerDetail }) {
  const prompts = useQuery({
    ...trpc.content.prompts.queryOptions({ name: server.name }),
    enabled: useCanAsk(server, "prompts"),
    retry: false,
  });
  return (
    <OffersTab
      server={server}
      what="prompts"
      query={prompts}
      parameter="prompt"
      noun="prompt"
      hint="Fill in the arguments to see the messages a model receives."
      toOffer={({ name, title, description }) => ({ id: name, title: title ?? name, detail: description ?? name })}
    >
      {(open) => <PromptView key={open.name} server={server.name} prompt={open} />}
    </OffersTab>
  );
}
