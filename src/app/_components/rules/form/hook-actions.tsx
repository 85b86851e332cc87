"use client";

import { useRef, useState } from "react";
import { ConfirmAction } from "@/app/_kit/confirm-action";
import { SecretDialog } from "@/app/_kit/secret-dialog";
import { useAction } from "@/app/_kit/use-action";
import { client, trpc } from "@/app/_trpc/client";
import { ActionProblem } from "@/app/_ui/action-problem";
import { Button } from "@/app/_ui/button";
import { Card } from "@/app/_ui/card";
import type { CallRule, HookTest } from "@/lib/contract/call-rule";
import { formatDuration } from "@/lib/format";

/** A test of a saved hook, and its signing secret. */
export function HookActions({ rule, isDirty }: { rule: CallRule; isDirty: boolean }) {
  const [answer, setAnswer] = useState<HookTest | null>(null);
  const [opened, setOpened] = useState<"replace" | "secret" | null>(null);
  const secret = useRef("");
  const testing = useAction(trpc.rules.testHook, {
    stale: [],
    failed: "Couldn't send a test call",
    report: () => setAnswer(null),
    onDone: setAnswer,
  });
  const close = () => setOpened(null);
  return (
    <Card title="Hook">
      <div className="flex min-w-0 flex-col items-start gap-3 p-3.5">
        <div className="flex flex-wrap gap-2">
          <Button
            needs="administer"
            disabled={testing.isPending || isDirty}
            onClick={() => testing.mutate({ id: rule.id })}
          >
            {testing.isPending ? "Sending…" : "Send a test call"}
          </Button>
          <Button needs="administer" onClick={() => setOpened("replace")}>
            New secret
          </Button>
        </div>
        <p role="status" className="[overflow-wrap:anywhere]">
          {answer !== null && describeAnswer(answer)}
        </p>
        <ActionProblem problem={testing.problem} onDismiss={testing.reset} />
        <p className="text-mute text-xs">
          {isDirty
            ? "Save to test the changes."
            : "A rule that only records sends nothing. Its secret is shown when it is replaced."}
        </p>
      </div>
      {opened === "replace" && (
        <ConfirmAction
          title="Replace the secret?"
          description="Requests are signed with the new secret at once: the receiver has to know it."
          action="Replace"
          running="Replacing…"
          failure="Couldn't replace"
          run={async () => {
            secret.current = (await client.rules.replaceSecret.mutate({ id: rule.id })).secret;
          }}
          onDone={() => setOpened("secret")}
          stale={[]}
          done="Secret replaced"
          onClose={close}
        />
      )}
      {opened === "secret" && <SecretDialog secret={secret.current} onClose={close} />}
    </Card>
  );
}

const DECISIONS = { allow: "Allowed", deny: "Denied", ask: "Asked for approval" } as const;

function describeAnswer({ decision, reason, failure, status, ms }: HookTest): string {
  const what =
    decision === null
      ? `The hook failed, since ${failure}`
      : `${DECISIONS[decision]}${reason === null ? "" : `: ${reason}`}`;
  return [what, status !== null && `status ${status}`, formatDuration(ms)].filter(Boolean).join(" · ");
}
