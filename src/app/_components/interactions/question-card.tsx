import { ExternalLink } from "lucide-react";
import { type FormEvent, useId, useState } from "react";
import { ArgumentsEditor } from "@/app/_kit/arguments-editor/arguments-editor";
import { FormFields } from "@/app/_kit/arguments-editor/arguments-form";
import { payloadText } from "@/app/_kit/arguments-editor/arguments-state";
import { focusField } from "@/app/_kit/arguments-editor/focus-field";
import { useArgumentVerdict } from "@/app/_kit/arguments-editor/use-argument-verdict";
import { client } from "@/app/_trpc/client";
import { AccessNotice } from "@/app/_ui/access-notice";
import { Alert } from "@/app/_ui/alert";
import { Button, buttonClass } from "@/app/_ui/button";
import { CopyButton } from "@/app/_ui/copy-button";
import { JsonText } from "@/app/_ui/json-text";
import { Link } from "@/app/_ui/link";
import { RelativeTime } from "@/app/_ui/relative-time";
import type { Fault } from "@/lib/contract/envelope";
import type { PendingInteraction } from "@/lib/contract/interaction";
import type { JsonSchema } from "@/lib/contract/json";
import { formatPlural } from "@/lib/format";
import { parsePointer } from "@/lib/json/json-pointer";
import { describeField } from "@/lib/schema/describe/describe-field";
import { getAt } from "@/lib/schema/value-at";
import { parseWebAddress } from "../content/markdown/web-address";
import { useFormDraft } from "./question-store";
import { RefusalButtons } from "./refusal-buttons";
import { SamplingQuestion } from "./sampling-question";
import { type Answering, useAnswer } from "./use-answer";

interface QuestionCardProps {
  interaction: PendingInteraction;
  /** The call whose panel contains the card, so that it is not named again. */
  callId?: string | undefined;
}

/** One question: the sender, the call, the text, and the ways to answer. */
export function QuestionCard({ interaction, callId }: QuestionCardProps) {
  const { id, server, toolName, executionId, askedAt, request } = interaction;
  const answering = useAnswer(id);
  return (
    <article
      aria-label={`Request from ${server}`}
      data-status="waiting"
      className="min-w-0 rounded-lg border border-warn bg-panel"
    >
      <header className="flex flex-wrap items-center gap-x-2 gap-y-0.5 rounded-t-lg bg-warn-bg px-3 py-1.5 text-xs">
        <span className="font-medium text-warn">
          From{" "}
          <Link href={`/servers/${encodeURIComponent(server)}`} className="font-mono underline">
            {server}
          </Link>
        </span>
        {toolName === null && <Candidates interaction={interaction} callId={callId} />}
        {toolName !== null && callId === undefined && (
          <span className="min-w-0 [overflow-wrap:anywhere]">
            during{" "}
            {executionId === null ? (
              <span className="font-mono">{toolName}</span>
            ) : (
              <Link href={`/executions/${encodeURIComponent(executionId)}`} className="font-mono underline">
                {toolName}
              </Link>
            )}
          </span>
        )}
        <span className="ml-auto">
          Received <RelativeTime at={askedAt} />
        </span>
      </header>
      <div className="flex min-w-0 flex-col gap-3 p-3">
        <ServerMessage message={request.message} />
        <AccessNotice needs="run" />
        {request.kind === "form" && (
          <FormQuestion id={id} server={server} schema={request.schema} answering={answering} />
        )}
        {request.kind === "url" && <UrlQuestion server={server} url={request.url} answering={answering} />}
        {request.kind === "sampling" && (
          <SamplingQuestion id={id} server={server} paramsText={request.paramsText} answering={answering} />
        )}
        {answering.error !== null && (
          <Alert live tone="bad" title="Couldn't send the response">
            {answering.error}
          </Alert>
        )}
      </div>
    </article>
  );
}

/** The server did not name the call. */
function Candidates({ interaction: { candidates: calls = [] }, callId }: QuestionCardProps) {
  if (calls.length === 0) return <span title="The server did not name the call">for one of its running calls</span>;
  const others = calls.filter(({ executionId }) => executionId !== callId);
  return (
    <span className="min-w-0 [overflow-wrap:anywhere]" title="The server did not name the call">
      {others.length < calls.length ? "during this call or " : "during one of "}
      {others.map(({ executionId, toolName }, at) => (
        <span key={executionId}>
          {at > 0 && ", "}
          <Link href={`/executions/${encodeURIComponent(executionId)}`} className="font-mono underline">
            {toolName}
          </Link>
        </span>
      ))}
    </span>
  );
}

const FOLDED_CHARS = 1_500;
const MAX_CHARS = 50_000;

/** The server's words, marked as such by their place: nothing of them becomes markup. */
function ServerMessage({ message }: { message: string }) {
  const [whole, setWhole] = useState(false);
  if (message.trim() === "") return <p className="text-mute text-xs">The server sent no message.</p>;
  const shown = message.slice(0, whole ? MAX_CHARS : FOLDED_CHARS);
  return (
    <div className="flex flex-col items-start gap-1.5">
      <blockquote className="whitespace-pre-wrap border-line2 border-l-2 pl-2.5 [overflow-wrap:anywhere]">
        {shown}
        {shown.length < message.length && "…"}
      </blockquote>
      {!whole && shown.length < message.length && <Button onClick={() => setWhole(true)}>Show more</Button>}
    </div>
  );
}

interface FormQuestionProps {
  id: string;
  server: string;
  schema: JsonSchema;
  answering: Answering;
}

/** The fields that a server requests, with a preview of the answer. */
export function FormQuestion({ id, server, schema, answering }: FormQuestionProps) {
  const idPrefix = useId();
  const [state, dispatch] = useFormDraft(id, schema);
  const [attempted, setAttempted] = useState(false);
  const [checking, setChecking] = useState(false);
  const text = payloadText(state);
  const verdict = useArgumentVerdict([id], text, (content) =>
    client.interactions.validate.mutate({ id, content: JSON.parse(content) }),
  );
  const isChanged = ({ pointer }: Fault) => {
    const path = parsePointer(pointer);
    return getAt(state.value, path) !== getAt(state.initial.value, path);
  };
  const faults = verdict.faults.filter((fault) => attempted || isChanged(fault));
  const problems = state.drafts.size + faults.length;
  const isEmpty = describeField(schema, schema).properties.length === 0;

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setAttempted(true);
    if (answering.pending || checking) return;
    if (text === null) {
      for (const pointer of state.drafts.keys()) if (focusField(idPrefix, pointer)) break;
      return;
    }
    setChecking(true);
    // Without an answer here, the server reports the problem when the form is sent.
    const { faults: found } = await verdict.check(text).catch(() => ({ faults: [] }));
    setChecking(false);
    const [first] = found;
    if (first === undefined) answering.send({ action: "accept", content: JSON.parse(text) });
    else focusField(idPrefix, first.pointer);
  };
  const form = { schema, state, dispatch, faults, disabled: answering.pending, idPrefix };
  return (
    <form noValidate aria-label={`Reply to ${server}`} onSubmit={submit} className="flex flex-col gap-3">
      {isEmpty && <p className="text-mute text-xs">No input requested. Submit to accept, or decline.</p>}
      {!isEmpty && state.formLimit === null && <FormFields {...form} purpose="answer" />}
      {state.formLimit !== null && <ArgumentsEditor {...form} />}
      <p className="text-mute text-xs">
        Don't enter passwords or API keys: <span className="font-mono">{server}</span> receives what you send.
      </p>
      {!isEmpty && text !== null && (
        <details className="text-xs">
          <summary className="w-fit rounded-sm text-mute hover:text-text">Response body</summary>
          <JsonText text={text} label="Exact response body" wrap className="mt-1 max-h-44" />
        </details>
      )}
      <div className="flex flex-wrap items-center gap-2">
        <Button needs="run" type="submit" variant="primary" disabled={answering.pending}>
          {answering.pending ? "Sending…" : "Submit"}
        </Button>
        <RefusalButtons answering={answering} />
        {attempted && problems > 0 && (
          <span role="status" className="text-bad text-xs">
            {formatPlural(problems, "problem")} to fix
          </span>
        )}
      </div>
    </form>
  );
}

/** An address that a server wants opened. Nothing is opened or fetched before the user does it. */
function UrlQuestion({ server, url, answering }: { server: string; url: string; answering: Answering }) {
  const [opened, setOpened] = useState(false);
  const address = parseWebAddress(url);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <dl className="grid grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3 gap-y-1">
        {address !== null && (
          <>
            <dt className="text-mute text-xs">Host</dt>
            <dd className="font-medium font-mono text-base [overflow-wrap:anywhere]">{address.host}</dd>
          </>
        )}
        <dt className="text-mute text-xs">URL</dt>
        <dd className="flex min-w-0 items-start gap-1">
          <span className="min-w-0 font-mono text-xs leading-7 [overflow-wrap:anywhere]">{url}</span>
          <CopyButton text={url} label="Copy URL" />
        </dd>
      </dl>
      {address === null && (
        <Alert tone="bad" title="Not a web URL">
          Only http:// and https:// URLs can be opened here.
        </Alert>
      )}
      {address?.hasCredentials && (
        <Alert tone="warn" title="This URL looks like another host">
          The part before “@” is a user name. The URL opens {address.host}.
        </Alert>
      )}
      {address !== null && !address.encrypted && (
        <p className="text-warn text-xs">Not encrypted: others on the network can read what you enter there.</p>
      )}
      <p className="text-mute text-xs">
        <span className="font-mono">{server}</span> sent this URL. Toolroom does not see what you enter there. Check the
        host first.
      </p>
      <div className="flex flex-wrap items-center gap-2">
        {address !== null && (
          <>
            <a
              href={address.href}
              target="_blank"
              rel="noopener noreferrer"
              onClick={() => setOpened(true)}
              className={buttonClass(opened ? {} : { variant: "primary" })}
            >
              <ExternalLink size={13} />
              Open<span className="sr-only"> {address.host} in a new tab</span>
            </a>
            <Button
              needs="run"
              variant={opened ? "primary" : "secondary"}
              disabled={answering.pending}
              onClick={() => answering.send({ action: "accept" })}
            >
              Done
            </Button>
          </>
        )}
        <RefusalButtons answering={answering} />
      </div>
    </div>
  );
}
