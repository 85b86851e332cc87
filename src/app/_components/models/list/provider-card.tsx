import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { KIND_LABELS, keyText, originText, priceText } from "@/app/_components/models/summary/model-words";
import { trpc } from "@/app/_trpc/client";
import { Alert } from "@/app/_ui/alert";
import { Badge } from "@/app/_ui/badge";
import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { FactList } from "@/app/_ui/fact-list";
import type { ModelChoice, ModelProviderSummary } from "@/lib/contract/model";
import { formatCount, formatPlural } from "@/lib/format";

interface ProviderCardProps {
  provider: ModelProviderSummary;
  choices: readonly ModelChoice[];
  onEdit: () => void;
  onDelete: () => void;
}

/** One provider: its kind, the source of its key, and whether it answers. */
export function ProviderCard({ provider, choices, onEdit, onDelete }: ProviderCardProps) {
  const test = useMutation(trpc.models.testProvider.mutationOptions());
  const { name, kind, origin, problem } = provider;
  return (
    <li
      aria-label={name}
      data-status={problem === null ? "idle" : "failed"}
      className="flex flex-col gap-2 px-3.5 py-3"
    >
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1.5">
        <h3 className="font-medium font-mono text-xs [overflow-wrap:anywhere]">{name}</h3>
        <Badge>{KIND_LABELS[kind]}</Badge>
        <span className="text-mute text-xs">{originText(provider)}</span>
        <span className="ml-auto flex flex-wrap gap-1.5">
          <Button needs="administer" disabled={test.isPending} onClick={() => test.mutate({ name })}>
            {test.isPending ? "Testing…" : "Test"}
            <span className="sr-only"> {name}</span>
          </Button>
          {origin === "console" && (
            <>
              <Button needs="administer" onClick={onEdit} aria-haspopup="dialog">
                Edit<span className="sr-only"> {name}</span>
              </Button>
              <Button needs="administer" variant="ghost" onClick={onDelete} aria-haspopup="dialog">
                Delete<span className="sr-only"> {name}</span>
              </Button>
            </>
          )}
        </span>
      </div>
      {kind === "demo" ? <AboutDemo /> : <ProviderFacts provider={provider} choices={choices} />}
      {problem !== null && <Alert tone="warn" title={problem} />}
      <ProviderTest
        outcome={test.data ?? null}
        failure={test.error?.message ?? null}
        pending={test.isPending}
        onDismiss={() => test.reset()}
      />
    </li>
  );
}

function AboutDemo() {
  return (
    <p className="max-w-3xl text-mute text-xs">
      Not a language model: a set of rules that finds the tool a request names and calls it. It needs no key and no
      network, so you can try the Playground at once.
    </p>
  );
}

function ProviderFacts({ provider, choices }: Pick<ProviderCardProps, "provider" | "choices">) {
  const { baseUrl, models, prices } = provider;
  const mine = choices.filter((choice) => choice.provider === provider.name);
  const names = [...new Set([...models, ...mine.map(({ model }) => model)])];
  return (
    <FactList
      className="text-xs"
      valueClass="min-w-0"
      facts={[
        ["Key", provider.problem === null ? keyText(provider) : null],
        ["Address", baseUrl],
        [
          "Models",
          names.length === 0 ? (
            "all that the provider lists"
          ) : (
            <Capped key="models" names={names}>
              {(model) => (
                <Badge key={model}>
                  <span className="max-w-72 truncate font-mono">{model}</span>
                </Badge>
              )}
            </Capped>
          ),
        ],
        [
          "Prices",
          prices.length > 0 && (
            <details key="prices">
              <summary className="cursor-pointer rounded-xs">
                {formatPlural(prices.length, "model")}
                <span className="text-mute">, US dollars per million tokens</span>
              </summary>
              <ul className="mt-1">
                {prices.map((price) => (
                  <li key={price.model} className="[overflow-wrap:anywhere]">
                    <span className="font-mono">{price.model}</span>{" "}
                    <span className="text-mute">{priceText(price)}</span>
                  </li>
                ))}
              </ul>
            </details>
          ),
        ],
      ]}
    />
  );
}

/** Names on a card before "more", and in the outcome of a test. */
const SHOWN_NAMES = 8;
const SHOWN_TESTED = 30;

function Capped({ names, children }: { names: readonly string[]; children: (name: string) => ReactNode }) {
  const [all, setAll] = useState(false);
  const shown = all ? names : names.slice(0, SHOWN_NAMES);
  return (
    <span className="flex flex-wrap items-center gap-1">
      {shown.map(children)}
      {shown.length < names.length && (
        <Button variant="ghost" onClick={() => setAll(true)} className="h-5!">
          {formatCount(names.length - shown.length)} more
        </Button>
      )}
    </span>
  );
}

interface ProviderTestProps {
  outcome: { ok: boolean; message: string; models: readonly string[] } | null;
  /** Asking the server itself did not work. */
  failure: string | null;
  pending: boolean;
  onDismiss: () => void;
}

/** Shows a provider's answer to a test until it is dismissed. */
function ProviderTest({ outcome, failure, pending, onDismiss }: ProviderTestProps) {
  const ok = failure === null && outcome?.ok === true;
  const message = failure ?? outcome?.message ?? null;
  return (
    <div role="status" className="text-xs empty:hidden">
      {!pending && message !== null && (
        <div
          data-status={ok ? "succeeded" : "failed"}
          className={cx("flex items-start gap-2 rounded-md px-2.5 py-1.5", ok ? "bg-ok-bg" : "bg-bad-bg")}
        >
          <div className="min-w-0 flex-1 [overflow-wrap:anywhere]">
            <p>
              <span className={cx("font-medium", ok ? "text-ok" : "text-bad")}>
                {ok ? "Connected." : "Connection failed."}
              </span>{" "}
              {message}
            </p>
            {ok && outcome !== null && outcome.models.length > 0 && (
              <details className="mt-0.5">
                <summary className="cursor-pointer rounded-xs">{formatPlural(outcome.models.length, "model")}</summary>
                <p className="font-mono">
                  {outcome.models.slice(0, SHOWN_TESTED).join(", ")}
                  {outcome.models.length > SHOWN_TESTED && `, and ${outcome.models.length - SHOWN_TESTED} more`}
                </p>
              </details>
            )}
          </div>
          <Button variant="ghost" onClick={onDismiss} className="h-5!">
            Dismiss
          </Button>
        </div>
      )}
    </div>
  );
}
