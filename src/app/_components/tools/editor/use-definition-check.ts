"use client";

import { useCallback } from "react";
import { useVerdict } from "@/app/_kit/use-verdict";
import { useTRPCClient } from "@/app/_trpc/client";
import type { ApprovalMode } from "@/lib/contract/approval";
import type { QualityNote } from "@/lib/contract/catalogue-tool";
import type { Problem } from "@/lib/contract/problem";

export interface DefinitionCheck {
  /** False while the newest text has not been judged. */
  current: boolean;
  problems: readonly Problem[];
  quality: readonly QualityNote[];
  /** The approval setting that the name carries without a tool, and that the tool will have. */
  keptApproval: ApprovalMode | null;
  /** The check itself did not work: the server is away. */
  failure: string | null;
}

/** The server's own verdict on a definition while it is being written: there is one checker, and this asks it. */
export function useDefinitionCheck(text: string, editing: string | null): DefinitionCheck {
  const client = useTRPCClient();
  const ask = useCallback(
    (definitionText: string, signal: AbortSignal) =>
      client.tools.checkDefinition.mutate({ definitionText, editing: editing ?? undefined }, { signal }),
    [client, editing],
  );
  const { judged, answer, failure } = useVerdict(text, ask);
  const { problems = [], quality = [], keptApproval = null } = answer ?? {};
  return { problems, quality, keptApproval, failure, current: judged === text };
}
