import { Button } from "@/app/_ui/button";
import { cx } from "@/app/_ui/class-names";
import { formatPlural } from "@/lib/format";

export interface ProviderTestProps {
  outcome: { ok: boolean; message: string; models: readonly string[] } | null;
  /** Asking the server itself did not work. */
  failure: string | null;
  pending: boolean;
  onDismiss: () => void;
}

const SHOWN_MODELS = 30;

/** What a provider answered to a test, in its place, until it is dismissed. */
export function ProviderTest({ outcome, failure, pending, onDismiss }: ProviderTestProps) {
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
                  {outcome.models.slice(0, SHOWN_MODELS).join(", ")}
                  {outcome.models.length > SHOWN_MODELS && `, and ${outcome.models.length - SHOWN_MODELS} more`}
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
