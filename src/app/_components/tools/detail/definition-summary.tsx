import { useQuery } from "@tanstack/react-query";
import { type ReactNode, Suspense, useId } from "react";
import { ApprovalSelect } from "@/app/_components/approvals/summary/approval-select";
import { describeApprovalCause } from "@/app/_components/approvals/summary/approval-words";
import { useSetApproval } from "@/app/_components/approvals/summary/use-set-approval";
import { canRender } from "@/app/_components/content/markdown/markdown-choice";
import { formatImplementation } from "@/app/_components/tools/summary/implementation-label";
import { formatOrigin, QualityList } from "@/app/_components/tools/summary/tool-badges";
import { useAction } from "@/app/_kit/use-action";
import { trpc } from "@/app/_trpc/client";
import { useDenial, useHasAccounts } from "@/app/_ui/access";
import { NativeSelect } from "@/app/_ui/field";
import { Link } from "@/app/_ui/link";
import { lazyPart } from "@/app/_ui/on-demand";
import { getUiResource, isVisibleTo } from "@/lib/apps/tool-app";
import { describeApprovers, findApproverRule } from "@/lib/contract/approver";
import type { ToolDetail, ToolSummary } from "@/lib/contract/catalog-tool";
import { formatDuration } from "@/lib/format";
import { getTaskSupport } from "@/lib/mcp-tasks";

const MarkdownView = lazyPart(() => import("@/app/_components/content/markdown/markdown-view"), "MarkdownView");

/** What the tool is for, how it runs, and the settings of its owner and approval. */
export function DefinitionSummary({ tool }: { tool: ToolDetail }) {
  // Unchecked keywords are shown in full beside the parameters.
  const quality = tool.quality.filter(({ code }) => code !== "schema_not_checked");
  return (
    <div className="flex flex-col gap-4 p-3.5">
      <Description text={tool.description} />
      <dl className="grid grid-cols-[auto_1fr] gap-x-2 gap-y-1.5">
        <Fact term="Implementation">{formatImplementation(tool.implementationType)}</Fact>
        <ServerFacts tool={tool} />
        {tool.handler !== null && <Fact term="Handler">{tool.handler}</Fact>}
        {getTaskSupport(tool.definition.listed) === "required" && <Fact term="Execution">Runs as a task</Fact>}
        <AppFacts tool={tool} />
        <Fact term="Timeout">{formatDuration(tool.timeoutMs)}</Fact>
        <Fact term="Source">{tool.originPath === null ? formatOrigin(tool) : fileName(tool.originPath)}</Fact>
        {tool.tags.length > 0 && <Fact term="Tags">{tool.tags.join(", ")}</Fact>}
      </dl>
      <OwnerSetting tool={tool} />
      <ApprovalSetting tool={tool} />
      {quality.length > 0 && <QualityList notes={quality} />}
    </div>
  );
}

/** Rendered as Markdown where it has its marks. Models receive the unchanged text. */
function Description({ text }: { text: string }) {
  const plain = <p className="whitespace-pre-line">{text}</p>;
  return (
    <div dir="auto" className="text-mute [overflow-wrap:anywhere]">
      {canRender(text) ? (
        <Suspense fallback={plain}>
          <MarkdownView text={text} growing={false} />
        </Suspense>
      ) : (
        plain
      )}
    </div>
  );
}

/** The App that shows the tool's results, and who may call the tool. */
function AppFacts({ tool: { definition } }: { tool: ToolDetail }) {
  const uri = getUiResource(definition);
  const forModels = isVisibleTo(definition, "model");
  const forApps = isVisibleTo(definition, "app");
  return (
    <>
      {uri !== null && <Fact term="App">{uri}</Fact>}
      {!forModels && <Fact term="Offered to">{forApps ? "Apps only" : "Neither models nor Apps"}</Fact>}
      {forModels && !forApps && <Fact term="Offered to">Models only</Fact>}
    </>
  );
}

/** The server on which a tool runs, and its name there. */
function ServerFacts({ tool }: { tool: ToolDetail }) {
  const { implementation } = tool.definition;
  if (tool.server === null) return null;
  return (
    <>
      <Fact term="Server">
        <Link href={`/servers/${encodeURIComponent(tool.server)}`} className="underline">
          {tool.server}
        </Link>
      </Fact>
      {implementation.type === "mcp" && <Fact term="Original name">{implementation.tool}</Fact>}
    </>
  );
}

function Fact({ term, children }: { term: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-faint">{term}</dt>
      <dd className="min-w-0 font-mono text-xs leading-5 [overflow-wrap:anywhere]">{children}</dd>
    </>
  );
}

const fileName = (path: string): string => path.split(/[\\/]/).at(-1) ?? path;

/** Sets the owner of the tool. Without accounts there is one user, so it is hidden. */
function OwnerSetting({ tool }: { tool: Pick<ToolSummary, "name" | "owner"> }) {
  return useHasAccounts() ? <OwnerSelect {...tool} /> : null;
}

function OwnerSelect({ name, owner }: Pick<ToolSummary, "name" | "owner">) {
  const id = useId();
  const mayEdit = useDenial("edit") === null;
  const { data: users = [] } = useQuery({ ...trpc.people.directory.queryOptions(), enabled: mayEdit });
  const save = useAction(trpc.tools.setOwner, { stale: [trpc.tools] });
  const shown = save.isPending ? save.variables.ownerId : (owner?.id ?? null);
  const isListed = owner === null || users.some((user) => user.id === owner.id);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Owner
      </label>
      <NativeSelect
        id={id}
        needs="edit"
        value={shown ?? ""}
        disabled={save.isPending}
        onChange={({ target }) => save.mutate({ name, ownerId: target.value === "" ? null : target.value })}
        options={users.map((user) => [user.id, user.name])}
      >
        <option value="">No owner</option>
        {owner !== null && !isListed && <option value={owner.id}>{owner.name}</option>}
      </NativeSelect>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {save.error !== null && `Couldn't save the owner: ${save.error.message}`}
      </div>
    </div>
  );
}

const OWN_APPROVAL =
  "Callers may approve their own calls, also in their MCP client: name an approver where the client must not decide.";

/** Shows whether the tool requires approval and why, and changes that setting. */
export function ApprovalSetting({ tool }: { tool: Pick<ToolDetail, "name" | "approval" | "server"> }) {
  const id = useId();
  const { approval, name, server } = tool;
  const save = useSetApproval(name);
  const rule = findApproverRule(approval.mode);
  return (
    <div className="flex min-w-0 flex-col gap-1">
      <label htmlFor={id} className="font-medium">
        Approval
      </label>
      <ApprovalSelect id={id} approval={approval} save={save} describedBy={`${id}-why ${id}-own`} />
      <p id={`${id}-why`} data-status={approval.required ? "asks" : "free"} className="text-mute text-xs">
        {rule !== null && `Only ${describeApprovers(rule, null)} may approve. `}
        Reason: {describeApprovalCause(approval, server)}.
        {server !== null && (
          <>
            {" "}
            <Link href={`/servers/${encodeURIComponent(server)}`} className="rounded-xs underline">
              Server policy
            </Link>
          </>
        )}
      </p>
      <p id={`${id}-own`} className="text-mute text-xs empty:hidden">
        {approval.required && rule === null && OWN_APPROVAL}
      </p>
      <div role="alert" className="text-bad text-xs empty:hidden">
        {save.error}
      </div>
    </div>
  );
}
