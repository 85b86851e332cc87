import { useState } from "react";
import { Alert } from "@/app/_ui/alert";
import { Button, type ButtonProps } from "@/app/_ui/button";
import { useHydrated } from "@/app/_ui/use-hydrated";
import { startSingleSignOn } from "./auth-requests";

interface SingleSignOnButtonProps extends Pick<ButtonProps, "variant" | "size"> {
  label: string;
  /** Read when the button is clicked. */
  request: () => Parameters<typeof startSingleSignOn>[0];
}

/** Opens the identity provider's page, which sends the user back. */
export function SingleSignOnButton({ label, request, ...look }: SingleSignOnButtonProps) {
  const [problem, setProblem] = useState<string | null>(null);
  const [pending, setPending] = useState(false);
  const hydrated = useHydrated();

  async function open(): Promise<void> {
    setPending(true);
    setProblem(null);
    const answer = await startSingleSignOn(request());
    if ("body" in answer) return window.location.assign(answer.body.url);
    setProblem(answer.refusal.message);
    setPending(false);
  }

  return (
    <>
      <Button size="md" {...look} disabled={!hydrated || pending} onClick={() => void open()}>
        {pending ? "Opening…" : label}
      </Button>
      {problem !== null && <Alert live tone="bad" title={problem} />}
    </>
  );
}
