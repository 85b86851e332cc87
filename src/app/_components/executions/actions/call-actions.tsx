import { ChevronDown, FlaskConical, GitCompareArrows, RotateCcw } from "lucide-react";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { ReplayButton } from "@/app/_components/executions/summary/replay-button";
import { SaveCaseButton } from "@/app/_components/rules/cases/save-case-button";
import { MakeRuleMenu } from "@/app/_components/rules/summary/make-rule-menu";
import { saveFile } from "@/app/_kit/save-file";
import { useAction } from "@/app/_kit/use-action";
import { useCopyText } from "@/app/_kit/use-copy-text";
import { trpc } from "@/app/_trpc/client";
import { Button, ButtonLink } from "@/app/_ui/button";
import { Menu } from "@/app/_ui/menu";
import { onDemand } from "@/app/_ui/on-demand";
import { setShell, useShell } from "@/app/_ui/shell-choice";
import { getConsoleAddress } from "@/lib/base-path";
import type { ExecutionDetail } from "@/lib/contract/execution";
import { getKind } from "@/lib/contract/execution-kind";
import { asJson, listPrograms, toMcpCall, toServerCall } from "./copy-formats";

const SaveTestDialog = onDemand(() => import("@/app/_components/suites/actions/save-test-dialog"), "SaveTestDialog");

interface CallActionsProps {
  execution: ExecutionDetail;
  /** The address of the comparison with another call; null where there is no other call. */
  comparePath: string | null;
  /** Replays it here; otherwise the page of the new call opens. */
  onReplay?: () => void;
}

/** The actions beside the result of a call: replay, compare, save as a test, make a rule, save as a case, copy. */
export function CallActions({ execution, comparePath, onReplay }: CallActionsProps) {
  return (
    <>
      {onReplay === undefined ? (
        <ReplayButton executionId={execution.id} />
      ) : (
        <Button icon={RotateCcw} needs="run" onClick={onReplay}>
          Replay
        </Button>
      )}
      {comparePath !== null && (
        <ButtonLink icon={GitCompareArrows} href={comparePath}>
          <span className="max-sm:sr-only">Compare</span>
        </ButtonLink>
      )}
      {isTestable(execution) && <SaveTestButton executionId={execution.id} />}
      {getKind(execution) === "tool" && (
        <MakeRuleMenu
          source={{
            executionId: execution.id,
            argumentsText: execution.argumentsText,
            callerName: execution.actor.name,
            wasAsked: execution.approval !== null,
          }}
        />
      )}
      {getKind(execution) === "tool" && <SaveCaseButton executionId={execution.id} />}
      <CopyMenu execution={execution} />
    </>
  );
}

/** Tests are made from calls that have ended. */
function isTestable(execution: ExecutionDetail): boolean {
  return getKind(execution) === "tool" && execution.status !== "running" && execution.status !== "waiting";
}

function SaveTestButton({ executionId }: { executionId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button icon={FlaskConical} needs="edit" onClick={() => setOpen(true)}>
        <span className="max-sm:sr-only">Save as test</span>
      </Button>
      {open && <SaveTestDialog executionId={executionId} onClose={() => setOpen(false)} />}
    </>
  );
}

/** The formats in which the call can be copied for other programs. */
function CopyMenu({ execution }: { execution: ExecutionDetail }) {
  const copy = useCopyText();
  const download = useBundleDownload();
  const router = useRouter();
  const mockPath = formatMock(execution);

  const isTool = getKind(execution) === "tool";
  const serverCall = toServerCall(execution);
  const shell = useShell();
  const programs = isTool ? listPrograms(execution, shell) : [];
  const other = shell === "posix" ? "powershell" : "posix";
  return (
    <Menu
      trigger={
        <Button>
          Copy
          <ChevronDown size={13} />
        </Button>
      }
      items={[
        ...(execution.resultText === null
          ? []
          : [{ label: "Copy raw result", onSelect: () => void copy("the raw result", execution.resultText ?? "") }]),
        { label: "Copy as JSON", onSelect: () => void copy("as JSON", asJson(execution)) },
        ...programs.map(({ label, format }) => ({
          label: `Copy as ${label}`,
          onSelect: () => void copy(`as ${label}`, format(getConsoleAddress())),
        })),
        ...(programs.length === 0
          ? []
          : [
              {
                label: other === "powershell" ? "Copy for PowerShell from now on" : "Copy for bash from now on",
                onSelect: () => setShell(other),
              },
            ]),
        ...(isTool
          ? [{ label: "Copy as MCP call", onSelect: () => void copy("as MCP call", toMcpCall(execution)) }]
          : []),
        ...(serverCall === null
          ? []
          : [
              {
                label: `Copy as MCP call to ${execution.serverName ?? "its server"}`,
                onSelect: () => void copy("as MCP call to its server", serverCall),
              },
            ]),
        ...(mockPath === null
          ? []
          : [{ label: "Create a mock", needs: "edit" as const, onSelect: () => router.push(mockPath) }]),
        ...(execution.finishedAt === null
          ? []
          : [{ label: "Download bundle", onSelect: () => download.mutate({ id: execution.id }) }]),
        {
          label: "Copy link",
          onSelect: () => void copy("the link", `${getConsoleAddress()}/executions/${execution.id}`),
        },
      ]}
    />
  );
}

/** The call as a file that another Toolroom opens. */
function useBundleDownload() {
  return useAction(trpc.bundles.export.mutationOptions({ gcTime: 0 }), {
    stale: [],
    failed: "Couldn't export the bundle",
    onDone(bundle, { id }) {
      saveFile(`${id}.json`, new Blob([`${JSON.stringify(bundle, null, 2)}\n`], { type: "application/json" }));
    },
  });
}

/** The address of the form of a mock that returns this call's outcome; null for a read, a call that has not ended, and one without a tool. */
function formatMock(execution: ExecutionDetail): string | null {
  const { id, toolName, definition, status, resultText, error } = execution;
  if (getKind(execution) !== "tool" || definition === null || status === "running" || status === "waiting") return null;
  if (resultText === null && error === null) return null;
  return `/tools/new?from=${encodeURIComponent(toolName)}&execution=${encodeURIComponent(id)}`;
}
